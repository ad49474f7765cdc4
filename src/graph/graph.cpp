#include "tenfold/graph.hpp"

#include <utility>

#include "graph/program.hpp"
#include "onnx/load.hpp"
#include "openvino/load.hpp"
#include "tenfold/io.hpp"

namespace tenfold {

struct Graph::Impl {
  Impl(graph::Model model, const GraphOptions& options) : program(std::move(model), options) {}
  graph::Program program;
};

namespace {

// XML starts with '<', after a byte order mark and white space perhaps; a protobuf message never
// does, since field 7 of a model is not a group.
bool looks_like_xml(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '<';
}

}  // namespace

Graph::Graph(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;

Graph Graph::load(const std::filesystem::path& path, const GraphOptions& options) {
  const std::vector<std::byte> bytes = io::read_file(path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!looks_like_xml(text)) {
    const std::filesystem::path folder = path.parent_path();
    return load_onnx(bytes, folder.empty() ? "." : folder, options);
  }
  std::filesystem::path weights = path;
  weights.replace_extension(".bin");
  std::error_code ignored;  // no weights: an error only if a constant needs them
  if (!std::filesystem::exists(weights, ignored)) return load_openvino(text, {}, options);
  return load_openvino(text, io::read_file(weights), options);
}

Graph Graph::load_onnx(std::span<const std::byte> model, const std::filesystem::path& folder,
                       const GraphOptions& options) {
  return Graph(std::make_unique<Impl>(onnx::read_model(model, folder), options));
}

Graph Graph::load_openvino(std::string_view xml, std::span<const std::byte> weights,
                           const GraphOptions& options) {
  return Graph(std::make_unique<Impl>(openvino::read_model(xml, weights), options));
}

const std::vector<Port>& Graph::inputs() const { return impl_->program.inputs(); }
const std::vector<Port>& Graph::outputs() const { return impl_->program.outputs(); }

Graph::Outputs Graph::run(const Inputs& inputs, const RunOptions& options,
                          std::vector<NodeTime>* profile) const {
  return impl_->program.run(inputs, options, profile);
}

std::string Graph::explain() const { return impl_->program.explain(); }

}  // namespace tenfold
