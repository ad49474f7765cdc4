// Einsum: an equation over strided operands, planned once for their layouts, run many times.
//
//     tenfold::Tensor s = tenfold::einsum("bqd,bkd->bqk", {q, k});
//
//     auto plan = EinsumPlan({.equation = "ij,jk->ik"}, {a_view, b_view});   // checks, orders,
//     picks kernels plan.run({a_view, b_view}, c_view);                                    // safe
//     from many threads
//
// Dialects, corners and numerics: docs/semantics.md. No operand is transposed or copied as a whole.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tenfold/executor.hpp"
#include "tenfold/export.hpp"
#include "tenfold/standards.hpp"
#include "tenfold/tensor.hpp"

namespace tenfold {

// The order of contraction, as NumPy and opt_einsum write it: each step names positions in the list
// of operands; those are taken out and their result is put at the end. A last step over all that is
// left may be missing.
using EinsumPath = std::vector<std::vector<int>>;

// Stands for the ellipsis in the interleaved form.
inline constexpr int kEllipsis = -1;

struct EinsumSpec {
  // "ij,jk->ik", "...i->...", "ij,jk" (implicit output). Ignored if `labels` is given.
  std::string equation = {};
  // The interleaved form: for each operand a label (0 or more, any integer) for each axis, or
  // kEllipsis; `output_labels` likewise, nullopt for the implicit output.
  std::optional<std::vector<std::vector<int>>> labels = std::nullopt;
  std::optional<std::vector<int>> output_labels = std::nullopt;

  Dialect dialect = Dialect::kNumpy;
  int version = 0;  // ONNX: opset; OpenVINO: version of the operator; 0: the newest

  // NumPy dialect: operands are converted to this type, and the result has it. nullopt: the
  // operands' common type (NEP 50). ONNX and OpenVINO: all operands must have one type.
  std::optional<DType> dtype = std::nullopt;

  // A name of path_methods(): "auto", "dp", "greedy", "left".
  std::string method = "auto";
  // The order of least arithmetic, whatever its intermediates cost to write and read.
  bool flops_only = false;
  // A given order; `method` is then ignored.
  std::optional<EinsumPath> path = std::nullopt;
  // Most bytes of intermediates alive at a time; 0: no limit. Error(kOutOfMemory) names the lowest
  // peak that was found if no order fits.
  std::int64_t memory_limit = 0;

  // How errors name the operator, "Einsum-12"; "einsum" when empty.
  std::string label = {};
};

struct EinsumCost {
  // Multiplications and additions, two for each term of a product of two operands.
  double flops = 0;
  double bytes = 0;                       // read and written: each element once in each step
  std::int64_t largest_intermediate = 0;  // elements; 0 without intermediates
  std::int64_t peak_memory = 0;           // bytes of intermediates alive at a time
};

enum class ExplainFormat { kText, kJson, kDot, kSvg };

class TENFOLD_API EinsumPlan {
 public:
  // Plans for operands of these dtypes, shapes and strides (data pointers are ignored) and a
  // row-major output, or one with the given strides. Throws Error for every mistake; for one in the
  // equation the error has a place().
  EinsumPlan(const EinsumSpec& spec, std::span<const TensorView> operands);
  EinsumPlan(const EinsumSpec& spec, std::span<const TensorView> operands,
             const Dims& output_strides);
  EinsumPlan(const EinsumSpec& spec, std::initializer_list<TensorView> operands)
      : EinsumPlan(spec, std::span(operands.begin(), operands.size())) {}
  EinsumPlan(EinsumPlan&&) noexcept;
  EinsumPlan& operator=(EinsumPlan&&) noexcept;
  ~EinsumPlan();

  DType output_dtype() const;
  const Dims& output_shape() const;
  const EinsumCost& cost() const;
  EinsumPath path() const;

  // Operands and output must have the planned dtypes, shapes and strides; the output may not
  // overlap an operand. Throws Error(kShapeMismatch, kTypeMismatch, kNullData, kOverlap,
  // kOutOfMemory).
  void run(std::span<const TensorView> operands, const MutableTensorView& output,
           const RunOptions& = {}) const;
  void run(std::initializer_list<TensorView> operands, const MutableTensorView& output,
           const RunOptions& options = {}) const {
    run(std::span(operands.begin(), operands.size()), output, options);
  }

  // The tree: per step its equation, sizes, flops, bytes, kernel and why; totals.
  std::string explain(ExplainFormat format = ExplainFormat::kText) const;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

// The plan that einsum() runs: made, or taken from the cache. Keep it to see its shape, cost or
// words without planning twice.
TENFOLD_API std::shared_ptr<const EinsumPlan> einsum_plan(const EinsumSpec& spec,
                                                          std::span<const TensorView> operands);

// One call: plan (or take the plan of an earlier call with the same spec and layouts from a cache),
// allocate the output, run.
TENFOLD_API Tensor einsum(const EinsumSpec& spec, std::span<const TensorView> operands,
                          const RunOptions& = {});
TENFOLD_API Tensor einsum(std::string_view equation, std::initializer_list<TensorView> operands,
                          const RunOptions& = {});
// One call into a ready output of the right dtype and shape, any strides.
TENFOLD_API void einsum_into(const EinsumSpec& spec, std::span<const TensorView> operands,
                             const MutableTensorView& output, const RunOptions& = {});

// The products of all operands folded over the summed labels by another operator than the sum: max,
// min, prod or logsumexp, by the rules of the reductions (docs/semantics.md); kSum is einsum().
// Nothing is contracted in pairs, so `method`, `path` and `memory_limit` have no part; at most some
// hundred kilobytes of products exist at a time for each thread. In the NumPy dialect, without
// `dtype`, prod of integers is computed in 64 bits and logsumexp of integers in f64. Throws Error
// as EinsumPlan and ReducePlan do.
TENFOLD_API Tensor einsum_fold(const EinsumSpec& spec, ReduceOp op,
                               std::span<const TensorView> operands, const RunOptions& = {});
// The same into a ready output of the right dtype and shape, any strides.
TENFOLD_API void einsum_fold_into(const EinsumSpec& spec, ReduceOp op,
                                  std::span<const TensorView> operands,
                                  const MutableTensorView& output, const RunOptions& = {});

// The names that EinsumSpec::method takes.
TENFOLD_API std::span<const std::string_view> path_methods();

}  // namespace tenfold
