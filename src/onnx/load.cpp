#include "onnx/load.hpp"

#include <protozero/exception.hpp>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "io/tensor_proto.hpp"
#include "onnx/emit.hpp"
#include "onnx/messages.hpp"
#include "onnx/proto.hpp"

namespace tenfold::onnx {
namespace {

using graph::malformed;
using graph::shortened;

// ModelProto, its graph and functions not read yet.
struct ModelProto {
  std::int64_t ir_version = 0;
  std::optional<std::string_view> graph;
  std::vector<std::string_view> functions;
  Opsets opsets;
};

ModelProto read_outer(std::string_view bytes) {
  ModelProto model;
  Fields fields(bytes, "ModelProto");
  while (fields.next()) {
    switch (fields.tag()) {
      case 1:
        model.ir_version = fields.integer();
        break;
      case 7:
        if (model.graph) malformed("ONNX model", "two graphs", "one");
        model.graph = fields.bytes();
        break;
      case 8:
        read_opset(fields.bytes(), model.opsets);
        break;
      case 25:
        model.functions.push_back(fields.bytes());
        break;
      default:
        fields.skip();
    }
  }
  if (!model.graph)
    malformed("ONNX model", "there is no graph", "an ONNX model file",
              bytes.empty() ? "an empty file" : "a file without one");
  // Models from before operator sets existed (IR 1 and 2) live in the first one.
  if (model.ir_version < 3) model.opsets.emplace("", 1);
  return model;
}

class GraphReader {
 public:
  GraphReader(graph::Model& model, Emitter& emitter, const Folder& folder)
      : model_(model), emitter_(emitter), folder_(folder) {}

  void read(std::string_view bytes) {
    Fields fields(bytes, "GraphProto");
    while (fields.next()) {
      switch (fields.tag()) {
        case 1:
          emitter_.emit(read_node(fields.bytes(), folder_), scope_);
          break;
        case 5:
          read_initialiser(fields.bytes());
          break;
        case 11:
          read_input(fields.bytes());
          break;
        case 12:
          read_output(fields.bytes());
          break;
        case 15:
          throw Error(ErrorCode::kUnsupportedFeature, "ONNX model",
                      "sparse initialisers are not supported", "dense ones");
        default:
          fields.skip();
      }
    }
    if (model_.outputs.empty()) malformed("ONNX model", "the graph has no outputs", "at least one");
    for (graph::InputPort& input : model_.inputs)
      input.has_default = initialised_.count(input.value) != 0;
  }

 private:
  void read_initialiser(std::string_view bytes) {
    io::NamedTensor named;
    try {
      named = io::parse_tensor_proto(std::as_bytes(std::span(bytes.data(), bytes.size())), folder_);
    } catch (const Error& error) {
      throw error.within("initialiser");
    }
    if (named.name.empty()) malformed("ONNX model", "an initialiser has no name");
    const int value = named_value(named.name);
    if (!initialised_.insert(value).second)
      malformed("initialiser '" + shortened(named.name) + "'", "it is given twice");
    model_.constants.push_back({value, std::move(named.tensor)});
  }

  // The scope keeps views of names, so a name from a temporary goes through the model's own copy.
  int named_value(const std::string& name) {
    names_.push_back(std::make_unique<std::string>(name));
    return scope_.value(model_, *names_.back());
  }

  void read_input(std::string_view bytes) {
    graph::InputPort input;
    input.port = read_value_info(bytes);
    if (input.port.name.empty()) malformed("ONNX model", "a graph input has no name");
    input.value = named_value(input.port.name);
    model_.inputs.push_back(std::move(input));
  }

  void read_output(std::string_view bytes) {
    graph::OutputPort output;
    output.port = read_value_info(bytes);
    if (output.port.name.empty()) malformed("ONNX model", "a graph output has no name");
    output.value = named_value(output.port.name);
    if (!output_values_.insert(output.value).second)
      malformed("output '" + shortened(output.port.name) + "'", "it is given twice");
    model_.outputs.push_back(std::move(output));
  }

  graph::Model& model_;
  Emitter& emitter_;
  const Folder& folder_;
  Scope scope_;
  std::vector<std::unique_ptr<std::string>> names_;
  std::set<int> initialised_, output_values_;
};

}  // namespace

graph::Model read_model(std::span<const std::byte> bytes, const std::filesystem::path& folder) {
  const Folder data_folder = folder.empty() ? Folder() : Folder(folder);
  try {
    const ModelProto proto =
        read_outer({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    graph::Model model;
    Emitter emitter(model, proto.opsets);
    for (std::string_view function : proto.functions)
      emitter.add_function(read_function(function, data_folder));
    GraphReader(model, emitter, data_folder).read(*proto.graph);
    return model;
  } catch (const protozero::exception& error) {
    malformed("ONNX model", "the file is cut off, damaged or not an ONNX model", "", error.what());
  }
}

}  // namespace tenfold::onnx
