#include "openvino/load.hpp"

#include <cstring>
#include <map>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "openvino/text.hpp"

namespace tenfold::openvino {
namespace {

using graph::AttributeValue;
using graph::in_quotes;
using graph::kAbsent;
using graph::malformed;
using graph::shortened;

// Einsum may have thousands of operands, everything else three ports at most. Ports are looked up
// in turn, and names are copied to every output that bears them, so all are bounded.
constexpr std::size_t kMostInputs = 4096;
constexpr std::size_t kMostOutputs = 64;
constexpr std::size_t kLongestName = 4096;

struct OutPort {
  std::int64_t id = 0;
  int value = kAbsent;
  std::vector<std::string> names;
};

struct Layer {
  pugi::xml_node xml;
  std::string name, label, type;
  int opset = 0;
  std::vector<std::int64_t> input_ids;
  std::vector<int> inputs;  // values, filled in by the edges
  std::vector<OutPort> outputs;
};

std::string text_of(pugi::xml_node node, const char* attribute) {
  return node.attribute(attribute).value();
}

std::string required(pugi::xml_node node, const char* attribute, const std::string& where) {
  const pugi::xml_attribute found = node.attribute(attribute);
  if (!found) malformed(where, std::string("<") + node.name() + "> has no attribute " + attribute);
  return found.value();
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> weights) : weights_(weights) {}

  graph::Model read(pugi::xml_node net) {
    check_version(net);
    for (pugi::xml_node xml : net.child("layers").children("layer")) add_layer(xml);
    if (layers_.empty()) malformed("OpenVINO IR", "there are no layers", "<layers> with <layer>s");
    // Constants first: equal ones become one value, which the edges then hand on.
    for (Layer& layer : layers_)
      if (layer.type == "Const") add_constant(layer);
    for (pugi::xml_node xml : net.child("edges").children("edge")) add_edge(xml);
    for (Layer& layer : layers_) emit(layer);
    if (model_.outputs.empty()) malformed("OpenVINO IR", "the model has no Result layer");
    return std::move(model_);
  }

 private:
  static void check_version(pugi::xml_node net) {
    const std::int64_t version =
        parse_integer(required(net, "version", "OpenVINO IR"), "OpenVINO IR", "version");
    if (version != 10 && version != 11)
      throw Error(ErrorCode::kUnsupportedVersion, "OpenVINO IR", "version not supported",
                  "10 or 11", std::to_string(version));
  }

  void add_layer(pugi::xml_node xml) {
    const std::string id_text = required(xml, "id", "OpenVINO IR");
    const std::int64_t id = parse_integer(id_text, "OpenVINO IR", "layer id");
    Layer layer;
    layer.xml = xml;
    layer.type = required(xml, "type", "layer " + shortened(id_text));
    layer.name = text_of(xml, "name");
    check_name(layer.name, "layer " + std::to_string(id));
    layer.label = layer.name.empty() ? "layer " + std::to_string(id)
                                     : "layer '" + shortened(layer.name) + "'";
    if (layer.name.empty()) layer.name = layer.label;
    layer.opset = parse_opset(text_of(xml, "version"), layer.label + " " + shortened(layer.type));
    std::set<std::int64_t> ids;
    const auto port_id = [&](pugi::xml_node port) {
      const std::int64_t number =
          parse_integer(required(port, "id", layer.label), layer.label, "port id");
      if (!ids.insert(number).second)
        malformed(layer.label, "two ports of one id", "ids of their own", std::to_string(number));
      return number;
    };
    const auto check_count = [&](std::size_t ports, std::size_t most) {
      if (ports >= most)
        throw Error(ErrorCode::kUnsupportedFeature, layer.label, "too many ports",
                    "at most " + std::to_string(most));
    };
    for (pugi::xml_node port : xml.child("input").children("port")) {
      check_count(layer.input_ids.size(), kMostInputs);
      layer.input_ids.push_back(port_id(port));
    }
    for (pugi::xml_node port : xml.child("output").children("port")) {
      check_count(layer.outputs.size(), kMostOutputs);
      layer.outputs.push_back({port_id(port), model_.add_value(shortened(layer.name)),
                               names_of(port, "names", layer.label)});
    }
    layer.inputs.assign(layer.input_ids.size(), kAbsent);
    if (!by_id_.emplace(id, layers_.size()).second)
      malformed(layer.label, "two layers of one id", "ids of their own", std::to_string(id));
    layers_.push_back(std::move(layer));
  }

  static void check_name(const std::string& name, const std::string& where) {
    if (name.size() > kLongestName)
      malformed(where, "name too long", "at most " + std::to_string(kLongestName) + " bytes",
                std::to_string(name.size()));
  }

  static std::vector<std::string> names_of(pugi::xml_node node, const char* attribute,
                                           const std::string& where) {
    std::vector<std::string> names = split_names(text_of(node, attribute));
    for (const std::string& name : names) check_name(name, where);
    return names;
  }

  std::size_t layer_of(pugi::xml_node edge, const char* attribute) const {
    const std::string text = required(edge, attribute, "OpenVINO IR");
    const auto found = by_id_.find(parse_integer(text, "OpenVINO IR", "layer id"));
    if (found == by_id_.end())
      malformed("OpenVINO IR", std::string("an edge has a ") + attribute + " that is not there",
                "the id of a layer", in_quotes(text));
    return found->second;
  }

  void add_edge(pugi::xml_node edge) {
    const Layer& from = layers_[layer_of(edge, "from-layer")];
    Layer& to = layers_[layer_of(edge, "to-layer")];
    const std::int64_t from_port =
        parse_integer(required(edge, "from-port", from.label), from.label, "port id");
    const std::int64_t to_port =
        parse_integer(required(edge, "to-port", to.label), to.label, "port id");
    int value = kAbsent;
    for (const OutPort& port : from.outputs)
      if (port.id == from_port) value = port.value;
    if (value == kAbsent)
      malformed(from.label, "an edge leaves an output port that is not there",
                "the id of an output port", std::to_string(from_port));
    for (std::size_t i = 0; i < to.input_ids.size(); ++i) {
      if (to.input_ids[i] != to_port) continue;
      if (to.inputs[i] != kAbsent)
        malformed(to.label, "two edges enter one input port", "one edge",
                  "port " + std::to_string(to_port));
      to.inputs[i] = value;
      givers_.emplace(value, static_cast<std::size_t>(&from - layers_.data()));
      return;
    }
    malformed(to.label, "an edge enters an input port that is not there", "the id of an input port",
              std::to_string(to_port));
  }

  void check_ports(const Layer& layer, std::size_t inputs, std::size_t outputs) const {
    const std::string where = layer.label + " " + layer.type;
    if (layer.inputs.size() != inputs)
      malformed(where, "wrong number of input ports", std::to_string(inputs),
                std::to_string(layer.inputs.size()));
    if (layer.outputs.size() != outputs)
      malformed(where, "wrong number of output ports", std::to_string(outputs),
                std::to_string(layer.outputs.size()));
  }

  void emit(Layer& layer) {
    for (std::size_t i = 0; i < layer.inputs.size(); ++i)
      if (layer.inputs[i] == kAbsent)
        malformed(layer.label + " " + shortened(layer.type),
                  "input port " + std::to_string(layer.input_ids[i]) + " has no edge", "one edge");
    if (layer.type == "Parameter")
      add_parameter(layer);
    else if (layer.type == "Result")
      add_result(layer);
    else if (layer.type != "Const")
      add_node(layer);
  }

  void add_parameter(Layer& layer) {
    check_ports(layer, 0, 1);
    const std::string where = layer.label + " Parameter";
    const pugi::xml_node data = layer.xml.child("data");
    graph::InputPort input;
    input.port.dtype = parse_element_type(required(data, "element_type", where), where);
    if (data.attribute("shape")) parse_declared_shape(text_of(data, "shape"), where, input);
    input.value = layer.outputs[0].value;
    input.aliases = layer.outputs[0].names;
    input.aliases.push_back(layer.name);
    input.port.name = input.aliases.front();
    if (!input_names_.insert(input.port.name).second)
      malformed(where, "two inputs of one name", "names of their own", in_quotes(input.port.name));
    model_.inputs.push_back(std::move(input));
  }

  // The name callers know the output by: the Result's own, or that of the tensor it takes, or that
  // of the layer which gives it.
  void add_result(Layer& layer) {
    check_ports(layer, 1, layer.outputs.empty() ? 0 : 1);  // some writers give a Result an output
    const int value = layer.inputs[0];
    const Layer& giver = layers_[givers_.at(value)];
    std::vector<std::string> names = names_of(layer.xml, "output_names", layer.label);
    for (const OutPort& port : giver.outputs)
      if (port.value == value) names.insert(names.end(), port.names.begin(), port.names.end());
    names.push_back(giver.name);
    names.push_back(layer.name);
    for (const std::string& name : names) {
      if (!output_names_.insert(name).second) continue;
      graph::OutputPort output;
      output.port.name = name;
      output.value = value;
      model_.outputs.push_back(std::move(output));
      return;
    }
    malformed(layer.label + " Result", "two outputs of one name", "names of their own",
              in_quotes(names.front()));
  }

  void add_constant(Layer& layer) {
    check_ports(layer, 0, 1);
    const std::string where = layer.label + " Const";
    const pugi::xml_node data = layer.xml.child("data");
    const DType dtype = parse_element_type(required(data, "element_type", where), where);
    const std::string shape_text = required(data, "shape", where);
    const Dims shape = parse_fixed_shape(shape_text, where);
    const std::int64_t offset = parse_integer(required(data, "offset", where), where, "offset");
    const std::int64_t size = parse_integer(required(data, "size", where), where, "size");
    const auto have = static_cast<std::int64_t>(weights_.size());
    if (offset < 0 || size < 0 || offset > have || size > have - offset)
      malformed(where, "the data lies outside the weights",
                "a part of " + std::to_string(have) + " bytes",
                "offset " + std::to_string(offset) + ", size " + std::to_string(size));
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(element_count(shape), static_cast<std::int64_t>(size_of(dtype)),
                               &bytes) ||
        bytes != size)
      malformed(where, "size and shape differ",
                "the size of " + std::string(name_of(dtype)) + " " + to_string(shape),
                std::to_string(size) + " bytes");
    const auto [known, fresh] = constants_.emplace(
        std::tuple(offset, size, dtype, std::vector<std::int64_t>(shape.begin(), shape.end())),
        layer.outputs[0].value);
    layer.outputs[0].value = known->second;
    if (!fresh) return;
    spend(size, where);
    Tensor tensor(dtype, shape);
    if (size > 0)
      std::memcpy(tensor.data(), weights_.data() + offset, static_cast<std::size_t>(size));
    model_.constants.push_back({known->second, std::move(tensor)});
  }

  // Constants are copied. Different ones that overlap could ask for far more memory than the files
  // have; real models do not overlap at all.
  void spend(std::int64_t size, const std::string& where) {
    copied_ += size;
    if (copied_ > 4 * static_cast<std::int64_t>(weights_.size()) + 65536)
      malformed(where, "the constants overlap", "constants of about the size of the weights",
                "more than four times as much");
  }

  void add_node(const Layer& layer) {
    graph::Node node;
    node.name = layer.name;
    node.label = layer.label;
    node.op = layer.type;
    node.dialect = Dialect::kOpenVino;
    node.version = layer.opset;
    node.inputs = layer.inputs;
    for (const OutPort& port : layer.outputs) node.outputs.push_back(port.value);
    for (pugi::xml_attribute xml : layer.xml.child("data").attributes())
      node.attributes.push_back(
          {xml.name(), std::make_shared<const AttributeValue>(value_of(layer, xml))});
    model_.nodes.push_back(std::move(node));
  }

  static AttributeValue value_of(const Layer& layer, pugi::xml_attribute xml) {
    const std::string where = layer.label + " " + shortened(layer.type);
    const std::string_view name = xml.name();
    if (name == "keep_dims" || name == "special_zero" || name == "allow_axis_skip" ||
        name == "transpose_a" || name == "transpose_b")
      return std::int64_t{parse_boolean(xml.value(), where, name)};
    if (name == "destination_type") return parse_element_type(xml.value(), where);
    return std::string(xml.value());
  }

  std::span<const std::byte> weights_;
  graph::Model model_;
  std::vector<Layer> layers_;
  std::unordered_map<std::int64_t, std::size_t> by_id_;
  std::unordered_map<int, std::size_t> givers_;  // by value: the layer
  std::map<std::tuple<std::int64_t, std::int64_t, DType, std::vector<std::int64_t>>, int>
      constants_;
  std::set<std::string> input_names_, output_names_;
  std::int64_t copied_ = 0;
};

}  // namespace

graph::Model read_model(std::string_view xml, std::span<const std::byte> weights) {
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(xml.data(), xml.size());
  if (result.status == pugi::status_out_of_memory)
    throw Error(ErrorCode::kOutOfMemory, "OpenVINO IR", "out of memory");
  if (!result)
    malformed("OpenVINO IR", "the XML is damaged", "",
              std::string(result.description()) + " at byte " + std::to_string(result.offset));
  const pugi::xml_node net = document.child("net");
  if (!net) malformed("OpenVINO IR", "there is no <net>", "an OpenVINO IR file");
  return Reader(weights).read(net);
}

}  // namespace tenfold::openvino
