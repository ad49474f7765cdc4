// Any bytes as an ONNX model: it is refused with an Error, or it loads, and then loads the same way
// again and runs, on small inputs, to as many outputs as it declares or to an Error.
#include "run_model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenfold;
  const io::Bytes bytes = fuzz::bytes_of(data, size);
  // External data is asked for in a folder that is none: every path is checked, no file is opened.
  const auto load = [&] { return Graph::load_onnx(bytes, "/dev/null"); };
  const auto graph = fuzz::accepted(load);
  if (!graph) return 0;
  TENFOLD_PROPERTY(load().explain() == graph->explain());
  fuzz::run_model(*graph);
  return 0;
}
