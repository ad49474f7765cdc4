// The error allowed to one float result (docs/semantics.md, "Accuracy"), and the error it has.
// Called by check.cpp.
#pragma once

#include <span>
#include <string>

#include "tenfold/reduce.hpp"

namespace tenfold::testing {

// How many roundings deep the summation tree is for these reduced extents, at most: as one merged
// axis or nested one in the other, whichever is deeper.
double tree_depth(const Dims& extents);

// Empty when `got`, an element of type `dtype`, is near enough to `op` of the finite `x`.
std::string inaccuracy(ReduceOp op, std::span<const double> x, double depth, DType dtype,
                       double got);

}  // namespace tenfold::testing
