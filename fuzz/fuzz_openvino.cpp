// Any bytes as an OpenVINO IR, its weights right behind the end of the XML: refused with an Error,
// or it loads, and then loads the same way again and runs, on small inputs, to as many outputs as
// it declares or to an Error.
#include "run_model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenfold;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find("</net>\n");
  const std::string_view xml = text.substr(0, end == text.npos ? size : end + 7);
  const io::Bytes weights = fuzz::bytes_of(data + xml.size(), size - xml.size());
  const auto load = [&] { return Graph::load_openvino(xml, weights); };
  const auto graph = fuzz::accepted(load);
  if (!graph) return 0;
  TENFOLD_PROPERTY(load().explain() == graph->explain());
  fuzz::run_model(*graph);
  return 0;
}
