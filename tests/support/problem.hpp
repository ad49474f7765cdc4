// A reduction problem: its name in one line, which operators go with which types, and a walk over
// the sets of elements that it folds. Called by the whole-library tests and their checks.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tenfold/reduce.hpp"

namespace tenfold::testing {

// "max dt=f16 shape=32x17x3 strides=51x3x1 axes=1,2 keepdims=0": enough to make it again.
std::string problem_string(const TensorView& input, const ReduceSpec& spec);

// Every operator, and whether it is defined for elements of `dtype`: bool has only the extremes
// and all and any, which nothing else has.
std::vector<ReduceOp> all_ops();
bool is_defined(ReduceOp op, DType dtype);
std::vector<DType> all_dtypes();
bool is_arg(ReduceOp op);

// Calls f(cell, offsets) for each output element in row-major order, with the offsets (in elements)
// of what is folded into it.
using CellFn = std::function<void(std::int64_t cell, std::span<const std::int64_t> offsets)>;
void for_each_cell(const TensorView& input, const std::optional<Dims>& axes, const CellFn& f);

// The extents of the reduced axes.
Dims reduced_extents(const TensorView& input, const std::optional<Dims>& axes);

}  // namespace tenfold::testing
