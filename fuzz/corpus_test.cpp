// The fuzzers' seeds are valid files: a reader that refuses one of them is broken, and a seed that
// is refused teaches the fuzzer little.
#include <gtest/gtest.h>

#include <filesystem>

#include "tenfold/error.hpp"
#include "tenfold/io.hpp"

namespace tenfold::io {
namespace {

namespace fs = std::filesystem;

class Corpus : public ::testing::TestWithParam<const char*> {};

TEST_P(Corpus, EverySeedIsAccepted) {
  int seeds = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(TENFOLD_CORPUS) / GetParam())) {
    const std::string path = entry.path().string();
    SCOPED_TRACE(path);
    ++seeds;
    ReadOptions options{.dtype = DType::kBF16};
    if (entry.path().stem() == "two") options.member = "b";
    EXPECT_NO_THROW(load(path, options));
  }
  EXPECT_GE(seeds, 5);
}

INSTANTIATE_TEST_SUITE_P(Formats, Corpus,
                         ::testing::Values("fuzz_npy", "fuzz_npz", "fuzz_tensor_proto",
                                           "fuzz_safetensors"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace tenfold::io
