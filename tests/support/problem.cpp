#include "support/problem.hpp"

#include <fmt/format.h>

namespace tenfold::testing {
namespace {

std::string joined(const Dims& dims, const char* separator) {
  return fmt::format("{}", fmt::join(dims.begin(), dims.end(), separator));
}

std::vector<bool> reduced_axes(const TensorView& input, const std::optional<Dims>& axes) {
  std::vector<bool> reduced(static_cast<std::size_t>(input.rank()), !axes.has_value());
  for (std::int64_t axis : axes.value_or(Dims{}))
    reduced[static_cast<std::size_t>(axis < 0 ? axis + input.rank() : axis)] = true;
  return reduced;
}

void offsets_of(const Dims& shape, const Dims& strides, int axis, std::int64_t at,
                std::vector<std::int64_t>& out) {
  if (axis == shape.size()) return out.push_back(at);
  for (std::int64_t i = 0; i < shape[axis]; ++i)
    offsets_of(shape, strides, axis + 1, at + i * strides[axis], out);
}

}  // namespace

std::string problem_string(const TensorView& input, const ReduceSpec& spec) {
  std::string text = fmt::format("{} dt={} shape={}", name_of(spec.op), name_of(input.dtype),
                                 joined(input.shape, "x"));
  if (!is_contiguous(input)) text += " strides=" + joined(input.strides, "x");
  text += " axes=" + (spec.axes ? joined(*spec.axes, ",") : std::string("all"));
  text += spec.keepdims ? " keepdims=1" : " keepdims=0";
  if (spec.select_last_index) text += " select_last_index=1";
  if (spec.dtype) text += fmt::format(" dtype={}", name_of(*spec.dtype));
  return text;
}

std::vector<ReduceOp> all_ops() {
  return {
#define X(id, name) ReduceOp::id,
      TENFOLD_REDUCE_OPS(X)
#undef X
  };
}

std::vector<DType> all_dtypes() {
  return {
#define X(id, type, name, numpy) DType::id,
      TENFOLD_REAL_DTYPES(X)
#undef X
  };
}

bool is_arg(ReduceOp op) { return op == ReduceOp::kArgMax || op == ReduceOp::kArgMin; }

bool is_defined(ReduceOp op, DType dtype) {
  const bool truth = op == ReduceOp::kAll || op == ReduceOp::kAny;
  const bool extreme = op == ReduceOp::kMax || op == ReduceOp::kMin || is_arg(op);
  return dtype == DType::kBool ? truth || extreme : !truth;
}

void for_each_cell(const TensorView& input, const std::optional<Dims>& axes, const CellFn& f) {
  const std::vector<bool> reduced = reduced_axes(input, axes);
  Dims kept_shape, kept_strides, fold_shape, fold_strides;
  for (int axis = 0; axis < input.rank(); ++axis) {
    const bool folds = reduced[static_cast<std::size_t>(axis)];
    (folds ? fold_shape : kept_shape).push_back(input.shape[axis]);
    (folds ? fold_strides : kept_strides).push_back(input.strides[axis]);
  }
  std::vector<std::int64_t> starts, within, offsets;
  offsets_of(kept_shape, kept_strides, 0, 0, starts);
  offsets_of(fold_shape, fold_strides, 0, 0, within);
  for (std::size_t cell = 0; cell < starts.size(); ++cell) {
    offsets.clear();
    for (std::int64_t offset : within) offsets.push_back(starts[cell] + offset);
    f(static_cast<std::int64_t>(cell), offsets);
  }
}

Dims reduced_extents(const TensorView& input, const std::optional<Dims>& axes) {
  const std::vector<bool> reduced = reduced_axes(input, axes);
  Dims extents;
  for (int axis = 0; axis < input.rank(); ++axis)
    if (reduced[static_cast<std::size_t>(axis)]) extents.push_back(input.shape[axis]);
  return extents;
}

}  // namespace tenfold::testing
