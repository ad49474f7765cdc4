// The seeds of the fuzzer of equations are valid: each is parsed.
#include <gtest/gtest.h>

#include <filesystem>

#include "einsum/equation.hpp"
#include "equation_input.hpp"
#include "tenfold/io.hpp"

namespace tenfold {
namespace {

TEST(EquationCorpus, EverySeedIsAnEquation) {
  int seeds = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(TENFOLD_CORPUS) / "fuzz_equation")) {
    SCOPED_TRACE(entry.path().string());
    const auto bytes = io::read_file(entry.path());
    const fuzz::EquationInput input =
        fuzz::equation_input(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    EXPECT_NO_THROW(einsum_detail::parse_equation(input.spec, input.shapes));
    ++seeds;
  }
  EXPECT_GE(seeds, 15);
}

}  // namespace
}  // namespace tenfold
