// Turns node messages into nodes of the model, putting the bodies of model-local functions in the
// place of their calls. Called by the ONNX model reader.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "graph/model.hpp"
#include "onnx/messages.hpp"

namespace tenfold::onnx {

// The values that a name stands for within the graph, or within one call of a function.
class Scope {
 public:
  explicit Scope(std::string prefix = {}) : prefix_(std::move(prefix)) {}
  // The value of the name, made on its first mention; kAbsent for "".
  int value(graph::Model& model, std::string_view name);
  void bind(std::string_view name, int value) { values_[name] = value; }
  bool knows(std::string_view name) const { return values_.count(name) != 0; }
  const std::string& prefix() const { return prefix_; }

 private:
  std::string prefix_;  // before names in messages: "call/"
  std::unordered_map<std::string_view, int> values_;
};

class Emitter {
 public:
  Emitter(graph::Model& model, const Opsets& opsets) : model_(model), opsets_(opsets) {}

  void add_function(FunctionProto function);
  void emit(const NodeProto& node, Scope& scope);

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;
  // What a body's names mean in one call.
  struct Frame {
    const FunctionProto* function = nullptr;  // nullptr: the graph itself
    const std::vector<graph::Attribute>* attributes = nullptr;
    const Frame* outer = nullptr;
    int depth = 0;
  };

  void emit(const NodeProto& node, Scope& scope, const Frame& frame);
  void emit_plain(const NodeProto& node, Scope& scope, const Frame& frame);
  void emit_call(const NodeProto& node, const FunctionProto& function, Scope& scope,
                 const Frame& frame);
  void bind_ports(const NodeProto& node, const FunctionProto& function, const std::string& label,
                  Scope& scope, Scope& inner);
  std::vector<graph::Attribute> attributes_of(const NodeProto& node, const Frame& frame) const;
  std::int64_t opset_of(std::string_view domain, const Frame& frame) const;
  void add_identity(int from, int to, const std::string& label);
  void spend(std::size_t units);

  graph::Model& model_;
  const Opsets& opsets_;
  std::map<Key, FunctionProto> functions_;
  std::size_t spent_ = 0;  // work done by inlining
};

}  // namespace tenfold::onnx
