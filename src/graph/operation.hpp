// What a node becomes once it is checked: an operation that turns input views into an output.
// Made by `bind` when a model is loaded, run by the program.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "einsum/equation.hpp"
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

class Contractible;

class Operation {
 public:
  virtual ~Operation() = default;
  // Safe from many threads. `detail`, when asked for, receives a line on how it was done.
  virtual Held run(HeldInputs inputs, const RunOptions& options, std::string* detail) const = 0;
  // "ReduceMax-18".
  virtual std::string label() const = 0;
  // What is known before or after runs, for Graph::explain; may be empty.
  virtual std::string describe() const { return {}; }
  // The operation as one that contracting through may merge with its neighbours, or nullptr.
  virtual const Contractible* contractible() const { return nullptr; }
};

// A node as a contraction of some inputs, a sum of products of their elements.
struct Contracted {
  einsum_detail::Equation equation;  // of the operands: labels by axis, sizes by label
  Dims shape;  // of the node's result: the equation's, perhaps with axes of extent 1 between
  DType sum = DType::kF32;  // the type in which `finish` wants the finished sum
};

// What a way of computing costs: multiplications and additions, bytes read and written.
struct Effort {
  double flops = 0, bytes = 0;
};

// Contractions, and sums of their results.
class Contractible {
 public:
  virtual ~Contractible() = default;
  // Only the first so many inputs are operands; the others are parameters: axes, Gemm's C.
  virtual int operand_count() const = 0;
  // The result is the contraction and nothing else: another one may take its operands instead.
  virtual bool passes_through() const = 0;
  // Operands need type and shape only. Throws Error as a run does.
  virtual Contracted contracted(HeldInputs inputs) const = 0;
  // What a run by itself costs.
  virtual Effort effort(HeldInputs inputs) const = 0;
  // The node's result, of type `dtype`, from the sum; operands may be nullptr.
  virtual Held finish(Held sum, DType /*dtype*/, HeldInputs, const RunOptions&) const {
    return sum;
  }
  // What `contracted` depends on besides types and shapes.
  virtual std::vector<std::int64_t> parameters(HeldInputs) const { return {}; }
};

// Checks operator, version, numbers of inputs and outputs, and attributes; throws Error without the
// node's name. The operation refers to `node`, which must outlive it.
std::unique_ptr<Operation> bind(const Node& node);

// What describe() and profiles show of an explanation.
inline std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The names of the operators of a dialect that `bind` accepts, sorted.
std::vector<std::string_view> supported_operators(Dialect dialect);

}  // namespace tenfold::graph
