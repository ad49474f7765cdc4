#include "onnx/messages.hpp"

#include <array>
#include <span>
#include <utility>

#include "io/tensor_proto.hpp"
#include "onnx/proto.hpp"

namespace tenfold::onnx {
namespace {

using graph::AttributeValue;
using graph::malformed;
using graph::Opaque;
using graph::shortened;

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// AttributeProto.AttributeType.
enum AttributeType : std::int64_t {
  kUndefined = 0,
  kFloat = 1,
  kInt = 2,
  kString = 3,
  kTensor = 4,
  kGraph = 5,
  kFloats = 6,
  kInts = 7,
  kStrings = 8,
  kTensors = 9,
  kGraphs = 10,
  kSparseTensor = 11,
  kSparseTensors = 12,
  kTypeProto = 13,
  kTypeProtos = 14,
};

const char* opaque_kind(std::int64_t type) {
  switch (type) {
    case kGraph:
    case kGraphs:
      return "a subgraph";
    case kStrings:
      return "a list of texts";
    case kTensors:
      return "a list of tensors";
    case kSparseTensor:
    case kSparseTensors:
      return "a sparse tensor";
    default:
      return "a type";
  }
}

// Everything an AttributeProto may carry; which part counts is for its type to say.
struct AttributeParts {
  std::int64_t type = kUndefined;
  std::int64_t seen = kUndefined;  // the type that goes with the last value field
  std::int64_t integer = 0;
  float number = 0;
  std::string_view text, tensor;
  std::vector<std::int64_t> integers;
  std::vector<float> numbers;
  bool has_tensor = false;
};

// True when the field is one of the value fields; `seen` is the type that it belongs to.
bool read_value_field(Fields& fields, AttributeParts& parts) {
  switch (fields.tag()) {
    case 2:
      parts.seen = kFloat;
      parts.number = fields.number();
      return true;
    case 3:
      parts.seen = kInt;
      parts.integer = fields.integer();
      return true;
    case 4:
      parts.seen = kString;
      parts.text = fields.bytes();
      return true;
    case 5:
      parts.seen = kTensor;
      parts.tensor = fields.bytes();
      parts.has_tensor = true;
      return true;
    case 7:
      parts.seen = kFloats;
      fields.append(parts.numbers);
      return true;
    case 8:
      parts.seen = kInts;
      fields.append(parts.integers);
      return true;
    default:
      break;
  }
  // Value fields whose content nothing here can use, with their types.
  static constexpr std::array<std::pair<std::uint32_t, std::int64_t>, 8> kOthers = {
      {{6, kGraph},
       {9, kStrings},
       {10, kTensors},
       {11, kGraphs},
       {14, kTypeProto},
       {15, kTypeProtos},
       {22, kSparseTensor},
       {23, kSparseTensors}}};
  for (const auto& [tag, type] : kOthers)
    if (fields.tag() == tag) {
      parts.seen = type;
      fields.skip();
      return true;
    }
  return false;
}

AttributeValue value_of(AttributeParts& parts, std::string_view name, const Folder& folder) {
  const std::string where = "attribute '" + shortened(name) + "'";
  const std::int64_t type = parts.type != kUndefined ? parts.type : parts.seen;
  switch (type) {
    case kFloat:
      return parts.number;
    case kInt:
      return parts.integer;
    case kString:
      return std::string(parts.text);
    case kFloats:
      return std::move(parts.numbers);
    case kInts:
      return std::move(parts.integers);
    case kTensor:
      if (!parts.has_tensor) malformed(where, "the tensor is missing");
      try {
        return io::parse_tensor_proto(as_bytes(parts.tensor), folder).tensor;
      } catch (const Error& error) {
        throw error.within(where);
      }
    case kUndefined:
      malformed(where, "it has neither a type nor a value");
    default:
      if (type < 0 || type > kTypeProtos)
        malformed(where, "unknown attribute type", "1 .. 14", std::to_string(type));
      return Opaque{opaque_kind(type)};
  }
}

Port::Extent read_extent(std::string_view bytes) {
  Port::Extent extent;
  Fields fields(bytes, "TensorShapeProto.Dimension");
  while (fields.next()) {
    if (fields.tag() == 1)
      extent.value = fields.integer();
    else if (fields.tag() == 2)
      extent.symbol = fields.bytes();
    else
      fields.skip();
  }
  if (extent.value < -1)
    malformed("ONNX model", "negative extent", "0 or more, or -1 for unknown",
              std::to_string(extent.value));
  if (extent.value >= 0) extent.symbol.clear();
  return extent;
}

// TypeProto.Tensor.
void read_tensor_type(std::string_view bytes, Port& port) {
  Fields fields(bytes, "TypeProto.Tensor");
  while (fields.next()) {
    if (fields.tag() == 1) {
      const std::int64_t type = fields.integer();
      if (type != 0) port.dtype = io::dtype_from_onnx(type);  // 0: not declared
    } else if (fields.tag() == 2) {
      port.shape.emplace();
      Fields shape(fields.bytes(), "TensorShapeProto");
      while (shape.next()) {
        if (shape.tag() == 1)
          port.shape->push_back(read_extent(shape.bytes()));
        else
          shape.skip();
        if (port.shape->size() > kMaxRank)
          throw Error(ErrorCode::kRankTooLarge, "", "rank too large",
                      "at most " + std::to_string(kMaxRank));
      }
    } else {
      fields.skip();
    }
  }
}

void read_type(std::string_view bytes, Port& port) {
  Fields fields(bytes, "TypeProto");
  while (fields.next()) {
    switch (fields.tag()) {
      case 1:
        read_tensor_type(fields.bytes(), port);
        break;
      case 4:
      case 5:
      case 7:
      case 8:
      case 9:
        throw Error(ErrorCode::kUnsupportedFeature, "", "type not supported", "a tensor",
                    "a sequence, map, sparse tensor, optional or opaque type");
      default:
        fields.skip();
    }
  }
}

}  // namespace

AttributeProto read_attribute(std::string_view bytes, const Folder& folder) {
  AttributeProto attribute;
  AttributeParts parts;
  Fields fields(bytes, "AttributeProto");
  while (fields.next()) {
    if (read_value_field(fields, parts)) continue;
    switch (fields.tag()) {
      case 1:
        attribute.name = fields.bytes();
        break;
      case 20:
        parts.type = fields.integer();
        break;
      case 21:
        attribute.reference = fields.bytes();
        break;
      default:
        fields.skip();
    }
  }
  if (attribute.reference.empty())
    attribute.value =
        std::make_shared<const AttributeValue>(value_of(parts, attribute.name, folder));
  return attribute;
}

NodeProto read_node(std::string_view bytes, const Folder& folder) {
  NodeProto node;
  Fields fields(bytes, "NodeProto");
  std::vector<std::string_view> attributes;  // read last, when the node's name is known
  while (fields.next()) {
    switch (fields.tag()) {
      case 1:
        node.inputs.push_back(fields.bytes());
        break;
      case 2:
        node.outputs.push_back(fields.bytes());
        break;
      case 3:
        node.name = fields.bytes();
        break;
      case 4:
        node.op = fields.bytes();
        break;
      case 5:
        attributes.push_back(fields.bytes());
        break;
      case 7:
        node.domain = plain_domain(fields.bytes());
        break;
      case 8:
        node.overload = fields.bytes();
        break;
      default:
        fields.skip();
    }
  }
  for (std::string_view attribute : attributes) {
    try {
      node.attributes.push_back(read_attribute(attribute, folder));
    } catch (const Error& error) {
      throw error.within("node '" + shortened(node.name) + "' " + shortened(node.op));
    }
  }
  return node;
}

void read_opset(std::string_view bytes, Opsets& opsets) {
  std::string_view domain;
  std::int64_t version = 0;
  Fields fields(bytes, "OperatorSetIdProto");
  while (fields.next()) {
    if (fields.tag() == 1)
      domain = plain_domain(fields.bytes());
    else if (fields.tag() == 2)
      version = fields.integer();
    else
      fields.skip();
  }
  const auto [known, fresh] = opsets.emplace(domain, version);
  if (!fresh && known->second != version)
    malformed("ONNX model", "two opset versions for domain '" + shortened(domain) + "'", "one",
              std::to_string(known->second) + " and " + std::to_string(version));
}

FunctionProto read_function(std::string_view bytes, const Folder& folder) {
  FunctionProto function;
  Fields fields(bytes, "FunctionProto");
  while (fields.next()) {
    switch (fields.tag()) {
      case 1:
        function.name = fields.bytes();
        break;
      case 4:
        function.inputs.push_back(fields.bytes());
        break;
      case 5:
        function.outputs.push_back(fields.bytes());
        break;
      case 6:
        function.attributes.push_back(fields.bytes());
        break;
      case 7:
        function.nodes.push_back(read_node(fields.bytes(), folder));
        break;
      case 9:
        read_opset(fields.bytes(), function.opsets);
        break;
      case 10:
        function.domain = plain_domain(fields.bytes());
        break;
      case 11:
        function.defaults.push_back(read_attribute(fields.bytes(), folder));
        break;
      case 13:
        function.overload = fields.bytes();
        break;
      default:
        fields.skip();
    }
  }
  return function;
}

Port read_value_info(std::string_view bytes) {
  Port port;
  std::string_view type;
  Fields fields(bytes, "ValueInfoProto");
  while (fields.next()) {
    if (fields.tag() == 1)
      port.name = fields.bytes();
    else if (fields.tag() == 2)
      type = fields.bytes();
    else
      fields.skip();
  }
  try {
    read_type(type, port);
  } catch (const Error& error) {
    throw error.within("input or output '" + shortened(port.name) + "'");
  }
  return port;
}

std::string_view plain_domain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

}  // namespace tenfold::onnx
