// The messages of onnx.proto that a graph is made of, read field by field. Texts are views of the
// model's bytes. Used by the ONNX model reader and its inliner.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/model.hpp"

namespace tenfold::onnx {

using Folder = std::optional<std::filesystem::path>;  // for external data; none: refused

struct AttributeProto {
  std::string_view name;
  std::string_view reference;  // ref_attr_name: the attribute of the enclosing function
  std::shared_ptr<const graph::AttributeValue> value;  // null for a reference
};

struct NodeProto {
  std::string_view name, op, domain, overload;
  std::vector<std::string_view> inputs, outputs;  // "" : left out
  std::vector<AttributeProto> attributes;
};

using Opsets = std::map<std::string_view, std::int64_t>;  // by domain; "" is the default one

struct FunctionProto {
  std::string_view name, domain, overload;
  std::vector<std::string_view> inputs, outputs, attributes;
  std::vector<AttributeProto> defaults;
  std::vector<NodeProto> nodes;
  Opsets opsets;
};

AttributeProto read_attribute(std::string_view bytes, const Folder& folder);
NodeProto read_node(std::string_view bytes, const Folder& folder);
FunctionProto read_function(std::string_view bytes, const Folder& folder);
// One OperatorSetIdProto into `opsets`.
void read_opset(std::string_view bytes, Opsets& opsets);
// A ValueInfoProto: name, element type and shape.
Port read_value_info(std::string_view bytes);

// "ai.onnx" is another name of the default domain "".
std::string_view plain_domain(std::string_view domain);

}  // namespace tenfold::onnx
