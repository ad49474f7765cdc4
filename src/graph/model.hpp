// A loaded model, whatever file it came from: values by index, nodes, constants and ports.
// The loaders (src/onnx, src/openvino) fill it; `compile` (program.hpp) checks it and makes it
// runnable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tenfold/error.hpp"
#include "tenfold/graph.hpp"
#include "tenfold/standards.hpp"

namespace tenfold::graph {

// An attribute that no operator here can use; `kind` says what it is: "a subgraph".
struct Opaque {
  std::string kind;
};

using AttributeValue = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>,
                                    std::vector<float>, Tensor, DType, Opaque>;

// The alternatives of AttributeValue, in its order.
enum class AttributeKind { kInt, kFloat, kText, kInts, kFloats, kTensor, kDType, kOpaque };

std::string_view name_of(AttributeKind kind);  // "a list of integers"

struct Attribute {
  std::string name;
  std::shared_ptr<const AttributeValue> value;  // shared by every node that inlining makes
};

inline constexpr int kAbsent = -1;  // the index of an optional input that is left out

// Values and nodes are numbered by int; vectors by std::size_t.
inline std::size_t index(int i) { return static_cast<std::size_t>(i); }

struct Node {
  std::string name;
  std::string label;  // how errors call it: "node 'r1'", "layer 'pool'"
  std::string op;
  Dialect dialect = Dialect::kOnnx;
  int version = 0;  // of the operator set the node lives in
  std::vector<Attribute> attributes;
  std::vector<int> inputs;  // values, or kAbsent
  std::vector<int> outputs;
};

struct Constant {
  int value = 0;
  Tensor tensor;
};

// The extents an axis may have.
struct Bounds {
  std::int64_t low = 0;
  std::int64_t high = INT64_MAX;
};

struct InputPort {
  Port port;
  int value = 0;
  std::vector<std::string> aliases;  // further names callers may use
  std::vector<Bounds> bounds;        // one per axis, or none
  bool has_default = false;          // a constant of the same value stands in when it is not given
};

struct OutputPort {
  Port port;
  int value = 0;
};

struct Model {
  std::vector<std::string> values;  // names, for messages
  std::vector<Node> nodes;          // in any order
  std::vector<Constant> constants;
  std::vector<InputPort> inputs;
  std::vector<OutputPort> outputs;

  int add_value(std::string name);
};

// The attribute's value, or nullptr when the node has none of this name and type.
template <class T>
const T* find_attribute(const Node& node, std::string_view name) {
  for (const Attribute& attribute : node.attributes)
    if (attribute.name == name) return std::get_if<T>(attribute.value.get());
  return nullptr;
}

// `text` cut to a length that a message or a table can show.
std::string shortened(std::string_view text);
std::string in_quotes(std::string_view text);  // the same within ''

// Error(kMalformedModel).
[[noreturn]] void malformed(std::string where, std::string what, std::string expected = {},
                            std::string got = {});

}  // namespace tenfold::graph
