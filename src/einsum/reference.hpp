// Einsum as plainly as it can be said: the oracle that the tests compare every plan with.
// It validates nothing, hurries nowhere, and shares no line with the planner or the kernels. Called
// by tests only; the rules in words are in docs/semantics.md.
#pragma once

#include <span>
#include <vector>

#include "tenfold/tensor.hpp"

namespace tenfold {

// A label for each axis of each operand and of the output: any integers from 0 on. An extent of 1
// stretches to the label's; a label that stands twice in an operand means its diagonal.
struct EinsumLabels {
  std::vector<std::vector<int>> inputs;
  std::vector<int> output;
};

// The result for valid labels, each operand converted to `dtype` first.
Tensor reference_einsum(const EinsumLabels& labels, std::span<const TensorView> operands,
                        DType dtype);

}  // namespace tenfold
