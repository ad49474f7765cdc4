// What a node becomes once it is checked: an operation that turns input views into an output.
// Made by `bind` when a model is loaded, run by the program.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "graph/model.hpp"
#include "tenfold/executor.hpp"
#include "tenfold/tensor.hpp"

namespace tenfold::graph {

// A view and what keeps its memory alive: an intermediate tensor, or nobody here for a caller's
// input and for a constant. Views of one tensor share it.
struct Held {
  TensorView view;
  std::shared_ptr<Tensor> owner;

  static Held of(Tensor tensor) {
    auto owner = std::make_shared<Tensor>(std::move(tensor));
    const TensorView view = owner->view();
    return {view, std::move(owner)};
  }
};

// Inputs of one run of one node; nullptr stands for an optional input that is left out.
using HeldInputs = std::span<const Held* const>;

class Operation {
 public:
  virtual ~Operation() = default;
  // Safe from many threads. `detail`, when asked for, receives a line on how it was done.
  virtual Held run(HeldInputs inputs, const RunOptions& options, std::string* detail) const = 0;
  // "ReduceMax-18".
  virtual std::string label() const = 0;
  // What is known before or after runs, for Graph::explain; may be empty.
  virtual std::string describe() const { return {}; }
};

// Checks operator, version, numbers of inputs and outputs, and attributes; throws Error without the
// node's name. The operation refers to `node`, which must outlive it.
std::unique_ptr<Operation> bind(const Node& node);

// The names of the operators of a dialect that `bind` accepts, sorted.
std::vector<std::string_view> supported_operators(Dialect dialect);

}  // namespace tenfold::graph
