// The reductions as rows: which kernel maps and combines, how states become outputs, what an empty
// set gives. Called by plan.cpp; a new reduction is a row here (CONTRIBUTING.md).
#pragma once

#include <optional>

#include "kernels/reduce_kernels.hpp"
#include "tenfold/reduce.hpp"

namespace tenfold {

// How an operator computes on elements of one type.
struct OpRow {
  kernels::KernelOp kernel;
  kernels::Finish finish;
  DType compute;  // elements are converted to this type first
  DType state;    // what the states are counted in
  DType output;
  bool minimum = false;  // extremes: the least element instead of the greatest
  bool ordered = false;  // the bits depend on the order of the elements
};

// The row for `op` on elements of `dtype`; nullopt where the operator has no meaning for the type.
std::optional<OpRow> op_row(ReduceOp op, DType dtype);

// The value of the operator over no elements, written as one element of `output` at `out`.
void write_empty_value(ReduceOp op, DType output, void* out);

}  // namespace tenfold
