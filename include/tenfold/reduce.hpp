// Reductions: an operator and axes, planned once for a layout, run many times.
//
//     tenfold::Tensor y = tenfold::reduce(x, {.op = ReduceOp::kMax, .axes = Dims{1}, .keepdims =
//     true});
//
//     auto plan = ReducePlan(spec, x_view);           // checks, folds axes, picks the kernel
//     plan.run(x_view, y_view);                       // allocates nothing, safe from many threads
//
// What each operator returns, for every type and corner, is in docs/semantics.md. The dialects of
// the standards (defaults, allowed types, versions) are rows in standards.hpp that end in a
// ReduceSpec.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tenfold/executor.hpp"
#include "tenfold/export.hpp"
#include "tenfold/tensor.hpp"

namespace tenfold {

// X(enumerator, short name)
#define TENFOLD_REDUCE_OPS(X) \
  X(kSum, "sum")              \
  X(kMean, "mean")            \
  X(kMax, "max")              \
  X(kMin, "min")              \
  X(kProd, "prod")            \
  X(kL1, "l1")                \
  X(kL2, "l2")                \
  X(kLogSum, "logsum")        \
  X(kLogSumExp, "logsumexp")  \
  X(kSumSquare, "sumsquare")  \
  X(kArgMax, "argmax")        \
  X(kArgMin, "argmin")        \
  X(kAll, "all")              \
  X(kAny, "any")

enum class ReduceOp {
#define X(id, name) id,
  TENFOLD_REDUCE_OPS(X)
#undef X
};
TENFOLD_API std::string_view name_of(ReduceOp op);                      // "sum"
TENFOLD_API std::optional<ReduceOp> parse_reduce_op(std::string_view);  // the short name

struct ReduceSpec {
  ReduceOp op = ReduceOp::kSum;
  // Axes to reduce, each in [-rank, rank-1], no axis twice. nullopt: all. Empty: none (the
  // element-wise parts of L1, L2, SumSquare, LogSum, LogSumExp still apply). ArgMax and ArgMin take
  // exactly one.
  std::optional<Dims> axes = std::nullopt;
  bool keepdims = false;  // reduced axes stay with extent 1
  bool select_last_index =
      false;  // ArgMax, ArgMin: the last of equal elements instead of the first
  // Elements are converted to this type before anything else, and the result has it (NumPy's
  // dtype=).
  std::optional<DType> dtype = std::nullopt;
  // Max or Min of an empty set: an error (NumPy) instead of the identity (ONNX, OpenVINO).
  bool empty_is_error = false;
  // How errors name the operator, "ReduceMax-18"; the short name of `op` when empty.
  std::string label = {};

  friend bool operator==(const ReduceSpec&, const ReduceSpec&) = default;
};

class TENFOLD_API ReducePlan {
 public:
  // Plans for inputs of this dtype, shape and strides (the data pointer is ignored) and a row-major
  // output, or one with the given strides. Throws Error for every mistake in the arguments.
  ReducePlan(const ReduceSpec& spec, const TensorView& input);
  ReducePlan(const ReduceSpec& spec, const TensorView& input, const Dims& output_strides);
  ReducePlan(ReducePlan&&) noexcept;
  ReducePlan& operator=(ReducePlan&&) noexcept;
  ~ReducePlan();

  DType output_dtype() const;
  const Dims& output_shape() const;

  // Input and output must have the planned dtype, shape and strides. They may overlap only when
  // nothing is reduced and both have the same layout. Throws Error(kShapeMismatch, kTypeMismatch,
  // kNullData, kOverlap).
  void run(const TensorView& input, const MutableTensorView& output, const RunOptions& = {}) const;

  // In words: how the axes were folded, which kernel runs, how the work is cut, and why.
  std::string explain() const;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

// One call: plan, allocate the output, run.
TENFOLD_API Tensor reduce(const TensorView& input, const ReduceSpec& spec, const RunOptions& = {});
// One call into a ready output of the right dtype and shape, any strides.
TENFOLD_API void reduce_into(const TensorView& input, const ReduceSpec& spec,
                             const MutableTensorView& output, const RunOptions& = {});

}  // namespace tenfold
