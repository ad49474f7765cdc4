// The seeds of the model loaders' fuzzers are valid: each loads and runs.
#include <gtest/gtest.h>

#include <filesystem>

#include "run_model.hpp"

namespace tenfold {
namespace {

namespace fs = std::filesystem;

std::vector<std::vector<std::byte>> seeds(const char* target) {
  std::vector<std::vector<std::byte>> files;
  for (const auto& entry : fs::directory_iterator(fs::path(TENFOLD_CORPUS) / target))
    files.push_back(io::read_file(entry.path()));
  EXPECT_GE(files.size(), 5u);
  return files;
}

// The number of outputs of a run on zeros.
std::size_t outputs_of(const Graph& graph) {
  std::list<Tensor> tensors;
  Graph::Inputs inputs;
  for (const Port& port : graph.inputs()) {
    tensors.push_back(Tensor::zeros(port.dtype.value(), fuzz::small_shape(port).value()));
    inputs.emplace(port.name, std::as_const(tensors.back()).view());
  }
  return graph.run(inputs).size();
}

TEST(ModelCorpus, EveryOnnxSeedRuns) {
  for (const auto& bytes : seeds("fuzz_onnx")) {
    const Graph graph = Graph::load_onnx(bytes);
    // Two axes of zero would be one axis twice, which is a mistake and not the seed's.
    if (graph.inputs().size() == 1) {
      EXPECT_EQ(outputs_of(graph), 1u) << graph.explain();
    }
  }
}

TEST(ModelCorpus, EveryOpenVinoSeedRuns) {
  for (const auto& bytes : seeds("fuzz_openvino")) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::size_t end = text.find("</net>\n") + 7;
    const Graph graph = Graph::load_openvino(text.substr(0, end), io::Bytes(bytes).subspan(end));
    EXPECT_EQ(outputs_of(graph), 1u) << graph.explain();
  }
}

}  // namespace
}  // namespace tenfold
