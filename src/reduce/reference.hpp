// The reductions as plainly as they can be said: the oracle that the tests compare kernels with.
// It validates nothing and hurries nowhere. Called by tests only; the rules in words are in
// docs/semantics.md.
#pragma once

#include "tenfold/reduce.hpp"

namespace tenfold {

// The result for valid arguments: axes in range, none twice, an operator that the type allows.
Tensor reference_reduce(const TensorView& input, const ReduceSpec& spec);

}  // namespace tenfold
