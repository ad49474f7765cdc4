#include "onnx/emit.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "io/tensor_proto.hpp"
#include "tenfold/standards.hpp"

namespace tenfold::onnx {
namespace {

using graph::Attribute;
using graph::AttributeValue;
using graph::in_quotes;
using graph::kAbsent;
using graph::malformed;
using graph::Node;
using graph::shortened;

// Functions that call functions can multiply without end: a few lines of text could ask for 2^60
// nodes. Both limits are far above what exporters write.
constexpr int kDeepest = 64;
constexpr std::size_t kMostWork = 1'000'000;  // nodes, names and attributes made by inlining
constexpr std::size_t kMostAttributes = 100;  // of a node or function; they are looked up in turn

// What inlining a name costs: it is hashed and copied again in each call.
std::size_t cost(std::string_view name) { return 1 + name.size() / 64; }
std::size_t cost(const AttributeProto& attribute) {
  return cost(attribute.name) + cost(attribute.reference);
}
template <class T>
std::size_t cost(const std::vector<T>& list) {
  std::size_t sum = 0;
  for (const T& each : list) sum += cost(each);
  return sum;
}

std::string label_of(const NodeProto& node, const Scope& scope) {
  if (!node.name.empty()) return "node " + in_quotes(scope.prefix() + shortened(node.name));
  if (!node.outputs.empty() && !node.outputs[0].empty())
    return "node giving " + in_quotes(scope.prefix() + shortened(node.outputs[0]));
  return "unnamed node";
}

// `to` of Cast-1 is the name of a type.
DType dtype_from_text(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, DType>, 13> kNames = {
      {{"FLOAT", DType::kF32},
       {"DOUBLE", DType::kF64},
       {"FLOAT16", DType::kF16},
       {"BFLOAT16", DType::kBF16},
       {"INT8", DType::kI8},
       {"INT16", DType::kI16},
       {"INT32", DType::kI32},
       {"INT64", DType::kI64},
       {"UINT8", DType::kU8},
       {"UINT16", DType::kU16},
       {"UINT32", DType::kU32},
       {"UINT64", DType::kU64},
       {"BOOL", DType::kBool}}};
  for (const auto& [name, dtype] : kNames)
    if (name == text) return dtype;
  throw Error(ErrorCode::kUnsupportedFeature, "attribute 'to'", "no such type to cast to",
              "FLOAT, DOUBLE, INT64, ...", in_quotes(text));
}

// Cast says its type by a number, or in version 1 by a name; the model says it by DType.
void translate_cast(Node& node) {
  for (Attribute& attribute : node.attributes) {
    if (attribute.name != "to") continue;
    if (const auto* number = std::get_if<std::int64_t>(attribute.value.get());
        number != nullptr && node.version >= 6)
      attribute.value = std::make_shared<const AttributeValue>(io::dtype_from_onnx(*number));
    else if (const auto* text = std::get_if<std::string>(attribute.value.get());
             text != nullptr && node.version < 6)
      attribute.value = std::make_shared<const AttributeValue>(dtype_from_text(*text));
  }
}

}  // namespace

int Scope::value(graph::Model& model, std::string_view name) {
  if (name.empty()) return kAbsent;
  const auto [known, fresh] = values_.emplace(name, kAbsent);
  if (fresh)
    known->second =
        model.add_value(prefix_.empty() ? std::string(name) : shortened(prefix_ + shortened(name)));
  return known->second;
}

void Emitter::add_function(FunctionProto function) {
  const Key key{function.domain, function.name, function.overload};
  const std::string label = "function " + in_quotes(function.name);
  if (function.attributes.size() + function.defaults.size() > kMostAttributes)
    malformed(label, "too many attributes", "at most " + std::to_string(kMostAttributes));
  if (!functions_.emplace(key, std::move(function)).second)
    malformed(label, "the function is defined twice");
}

void Emitter::spend(std::size_t units) {
  spent_ += units;
  if (spent_ > kMostWork)
    throw Error(ErrorCode::kUnsupportedFeature, "ONNX model",
                "the functions grow too large when put in the place of their calls",
                "at most " + std::to_string(kMostWork) + " nodes, names and attributes");
}

void Emitter::emit(const NodeProto& node, Scope& scope) { emit(node, scope, Frame{}); }

void Emitter::emit(const NodeProto& node, Scope& scope, const Frame& frame) {
  if (frame.function != nullptr)
    spend(cost(node.name) + cost(node.op) + cost(node.inputs) + cost(node.outputs) +
          cost(node.attributes));
  if (node.attributes.size() > kMostAttributes)
    malformed(label_of(node, scope), "too many attributes",
              "at most " + std::to_string(kMostAttributes), std::to_string(node.attributes.size()));
  const auto function = functions_.find(Key{node.domain, node.op, node.overload});
  if (function != functions_.end())
    emit_call(node, function->second, scope, frame);
  else
    emit_plain(node, scope, frame);
}

std::int64_t Emitter::opset_of(std::string_view domain, const Frame& frame) const {
  if (frame.function != nullptr)
    if (const auto own = frame.function->opsets.find(domain); own != frame.function->opsets.end())
      return own->second;
  const auto found = opsets_.find(domain);
  return found != opsets_.end() ? found->second : 0;
}

// The node's attributes, with references resolved by the call of the enclosing function; one that
// the call does not give and that has no default is left out.
std::vector<Attribute> Emitter::attributes_of(const NodeProto& node, const Frame& frame) const {
  std::vector<Attribute> attributes;
  for (const AttributeProto& attribute : node.attributes) {
    std::shared_ptr<const AttributeValue> value = attribute.value;
    if (value == nullptr) {
      if (frame.function == nullptr)
        malformed("attribute " + in_quotes(attribute.name),
                  "it refers to an attribute of a function", "a value outside functions",
                  in_quotes(attribute.reference));
      for (const Attribute& given : *frame.attributes)
        if (given.name == attribute.reference) value = given.value;
      if (value == nullptr) continue;
    }
    attributes.push_back({std::string(attribute.name), std::move(value)});
  }
  return attributes;
}

void Emitter::emit_plain(const NodeProto& proto, Scope& scope, const Frame& frame) {
  Node node;
  node.label = label_of(proto, scope);
  if (!proto.domain.empty())
    throw Error(ErrorCode::kUnsupportedOperator,
                node.label + " " + shortened(proto.domain) + "." + shortened(proto.op),
                "operator not supported", "the default domain, or a function of the model",
                "domain " + in_quotes(proto.domain));
  const std::int64_t opset = opset_of("", frame);
  if (opset < 1)
    malformed(node.label + " " + shortened(proto.op), "the model does not say its operator set",
              "an opset_import of the default domain");
  if (opset > kNewestOnnxOpset)
    throw Error(ErrorCode::kUnsupportedVersion, node.label + " " + shortened(proto.op),
                "operator set too new", "opset 1 .. " + std::to_string(kNewestOnnxOpset),
                std::to_string(opset));
  node.op = proto.op;
  node.version = static_cast<int>(opset);
  const std::string_view name =
      !proto.name.empty() || proto.outputs.empty() ? proto.name : proto.outputs[0];
  node.name =
      scope.prefix().empty() ? std::string(name) : shortened(scope.prefix() + shortened(name));
  try {
    node.attributes = attributes_of(proto, frame);
    if (node.op == "Cast") translate_cast(node);
  } catch (const Error& error) {
    throw error.within(node.label + " " + shortened(node.op));
  }
  for (std::string_view input : proto.inputs) node.inputs.push_back(scope.value(model_, input));
  for (std::string_view output : proto.outputs) node.outputs.push_back(scope.value(model_, output));
  model_.nodes.push_back(std::move(node));
}

void Emitter::add_identity(int from, int to, const std::string& label) {
  Node node;
  node.name = model_.values[static_cast<std::size_t>(to)];
  node.label = label;
  node.op = "Identity";
  node.version = kNewestOnnxOpset;
  node.inputs = {from};
  node.outputs = {to};
  model_.nodes.push_back(std::move(node));
}

// Inputs that the call leaves out stay absent in the body. Outputs are the caller's values; one
// that the function passes through from an input needs a node to give it.
void Emitter::bind_ports(const NodeProto& node, const FunctionProto& function,
                         const std::string& label, Scope& scope, Scope& inner) {
  if (node.inputs.size() > function.inputs.size())
    malformed(label, "too many inputs for function " + in_quotes(function.name),
              std::to_string(function.inputs.size()), std::to_string(node.inputs.size()));
  if (node.outputs.size() > function.outputs.size())
    malformed(label, "too many outputs for function " + in_quotes(function.name),
              std::to_string(function.outputs.size()), std::to_string(node.outputs.size()));
  for (std::size_t i = 0; i < function.inputs.size(); ++i) {
    if (inner.knows(function.inputs[i]))
      malformed(label, "function " + in_quotes(function.name) + " has two inputs of one name",
                "names of their own", in_quotes(function.inputs[i]));
    inner.bind(function.inputs[i],
               i < node.inputs.size() ? scope.value(model_, node.inputs[i]) : kAbsent);
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const std::string_view name = function.outputs[i];
    const int outside = scope.value(model_, node.outputs[i]);
    if (outside == kAbsent) continue;
    if (inner.knows(name)) {
      const int from = inner.value(model_, name);
      if (from == kAbsent)
        malformed(label, "function " + in_quotes(function.name) + " returns an input left out", "",
                  in_quotes(name));
      add_identity(from, outside, label);
    } else {
      inner.bind(name, outside);
    }
  }
}

void Emitter::emit_call(const NodeProto& node, const FunctionProto& function, Scope& scope,
                        const Frame& frame) {
  const std::string label = label_of(node, scope);
  for (const Frame* at = &frame; at != nullptr; at = at->outer)
    if (at->function == &function)
      malformed(label, "function " + in_quotes(function.name) + " calls itself",
                "functions that end");
  if (frame.depth == kDeepest)
    throw Error(ErrorCode::kUnsupportedFeature, label, "functions are nested too deeply",
                "at most " + std::to_string(kDeepest) + " levels");
  spend(cost(function.inputs) + cost(function.outputs) + cost(function.attributes) +
        cost(function.defaults));

  std::vector<Attribute> attributes;
  try {
    attributes = attributes_of(node, frame);
  } catch (const Error& error) {
    throw error.within(label);
  }
  for (const Attribute& attribute : attributes) {
    const auto is_it = [&](std::string_view name) { return name == attribute.name; };
    if (std::none_of(function.attributes.begin(), function.attributes.end(), is_it) &&
        std::none_of(function.defaults.begin(), function.defaults.end(),
                     [&](const AttributeProto& a) { return is_it(a.name); }))
      throw Error(ErrorCode::kAttributeUnknown, label,
                  "unknown attribute for function " + in_quotes(function.name), "",
                  in_quotes(attribute.name));
  }
  for (const AttributeProto& fallback : function.defaults)
    if (fallback.value != nullptr &&
        std::none_of(attributes.begin(), attributes.end(),
                     [&](const Attribute& a) { return a.name == fallback.name; }))
      attributes.push_back({std::string(fallback.name), fallback.value});

  const std::string_view name = !node.name.empty() ? node.name : node.op;
  Scope inner(shortened(scope.prefix() + shortened(name)) + "/");
  bind_ports(node, function, label, scope, inner);
  const Frame body{&function, &attributes, &frame, frame.depth + 1};
  for (const NodeProto& part : function.nodes) emit(part, inner, body);
}

}  // namespace tenfold::onnx
