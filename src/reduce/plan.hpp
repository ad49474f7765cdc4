// What a reduction plan knows. Made by plan.cpp, executed by run.cpp, put in words by explain.cpp.
//
//   input  = kept loops x reduced loops x one block            (after folding; outermost stride
//   first) block  = kInner: rows (kept)  x n (reduced, contiguous)
//            kOuter: groups (kept) x n (reduced) x columns (kept, contiguous)
//   a unit = one position of the kept loops and one tile of the block's kept part: the states of a
//   tile are
//            folded over the reduced loops, then finished into the output. Units are independent.
#pragma once

#include <cstdint>
#include <string>

#include "core/convert.hpp"
#include "core/fold.hpp"
#include "kernels/reduce_kernels.hpp"
#include "reduce/ops.hpp"
#include "tenfold/reduce.hpp"

namespace tenfold {

// Scratch that a thread keeps between runs. Tiles and trees are cut to fit.
inline constexpr std::int64_t kScratchBytes = 1 << 20;

struct ReducePlan::Impl {
  Impl(const ReduceSpec& spec, const TensorView& input, const Dims* output_strides);

  void run(const TensorView& input, const MutableTensorView& output,
           const RunOptions& options) const;
  std::string explain() const;

  // The call, for checks and messages.
  std::string label;
  ReduceOp op;
  DType in_dtype, out_dtype;
  Dims in_shape, in_strides, out_shape, out_strides;

  enum class Work {
    kNothing,
    kFill,
    kFold
  };  // no outputs; outputs of an empty set; the usual case
  Work work = Work::kFold;

  // How elements become states and states outputs.
  OpRow row;
  const kernels::ReduceKernel* kernel = nullptr;
  kernels::FinishFn finish = nullptr;
  // Extremes of f32 and f64: folds a unit again that came out as zero, to get the sign of the zero
  // right.
  const kernels::ReduceKernel* exact_kernel = nullptr;
  kernels::FinishFn exact_finish = nullptr;
  kernels::KernelArgs args;
  kernels::FinishArgs finish_args;
  ConvertFn convert = nullptr;  // for packed blocks

  // The block.
  enum class Shape { kInner, kOuter };
  Shape shape = Shape::kOuter;
  Loop n{1, 0, 0, true};
  Loop width{1, 0, 0, false};  // the rows of kInner, the columns of kOuter
  Loop groups{1, 0, 0, false};
  bool packed = false;  // the block is gathered (and converted) into scratch first

  Loops kept, reduced;  // around the block, outermost first
  std::int64_t in_offset = 0, out_offset = 0;
  std::int64_t element_total = 1;

  // Cuts.
  std::int64_t tile_width = 1, tile_groups = 1;  // states of a tile: their product
  std::int64_t cut_n = 0;                        // packed: elements of n gathered at once; 0: all
  std::int64_t batch = 1;  // positions of the innermost reduced loop that one kernel call takes

 private:
  void resolve_axes(const ReduceSpec& spec, std::uint64_t* reduced_axes);
  void choose_kernel(const ReduceSpec& spec);
  void choose_block(Loops loops);
  void choose_tiles();
};

}  // namespace tenfold
