// The reduction kernels as the planner sees them: plain functions on rank-2 blocks, one table row
// each. A kernel turns a block of elements into *states* (partial results); `merge` joins two
// states; a finisher turns states into output elements. Called by src/reduce; the SIMD lives in the
// .cc files beside this one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tenfold/dtype.hpp"

namespace tenfold::kernels {

// The leaf of the summation tree (ARCHITECTURE.md, "Same bits"): work may be cut at multiples of
// leaf * 2^j elements of the reduced axis without changing a bit.
inline constexpr std::int64_t kLeaf = 512;
// LogSumExp keeps one (maximum, sum) state per group of this many elements: its cuts are at group *
// 2^j.
inline constexpr std::int64_t kGroup = 4096;

// What a kernel needs beside the block. Which fields it reads depends on its map.
struct KernelArgs {
  std::int64_t flip = 0;       // extremes: xor mask that turns a minimum into a maximum
  std::int64_t offset = 0;     // extremes: added to a float's key so that any NaN is the largest
  const void* bias = nullptr;  // exp-sums: the maximum of each row or column
  std::int64_t index = 0;      // arg: index of the block's first element along the axis
  bool last = false;           // arg: the last of equal elements wins
};

struct ReduceKernel {
  const char* name;          // "SumOp<Float16, float>"
  std::size_t state_size;    // bytes
  std::int64_t cut;          // the reduced axis may be cut at multiples of cut * 2^j
  std::int64_t max_columns;  // `outer` takes at most so many columns a call
  // Bytes of scratch that `outer` wants for a block.
  std::size_t (*scratch)(std::int64_t n, std::int64_t columns);

  // states[r] = fold of x[r * row_stride + i], 0 <= i < n; n >= 1.
  void (*inner)(const void* x, std::int64_t rows, std::int64_t row_stride, std::int64_t n,
                void* states, const KernelArgs& args);
  // states[g * columns + c] = fold of x[g * group_stride + i * row_stride + c], 0 <= i < n; n >= 1.
  void (*outer)(const void* x, std::int64_t groups, std::int64_t group_stride, std::int64_t n,
                std::int64_t row_stride, std::int64_t columns, void* states, std::byte* scratch,
                const KernelArgs& args);
  // a[i] = a[i] joined with b[i]; a stands for the earlier elements.
  void (*merge)(void* a, const void* b, std::int64_t count, const KernelArgs& args);
};

// The map of each kernel, what it combines with, and the types it goes from and to;
// reduce_kernels.inc lists the rows that exist.
enum class KernelOp {
  kSum,
  kSumAbs,
  kSumSquare,
  kProd,        // in the state type; integers wrap
  kNormSquare,  // sum of squares for L2: wide enough not to overflow (f64: see kSqrt)
  kWideSum,
  kWideSquare,  // exact integer sums, for Mean and L2
  kMax,
  kMin,     // extremes of f32 and f64, but for the sign of a zero
  kMaxKey,  // extremes, on order-preserving integer keys
  kLogSumExp,
  kArg,
};

// The kernel for an operation on elements of a type, for the best SIMD target of this CPU (or the
// one forced, see machine.hpp); nullptr if the table has no such row.
const ReduceKernel* find_kernel(KernelOp op, DType dtype);

// The offset that an element type's keys need in KernelArgs and FinishArgs (0 for integers and
// bool): keys are sign-magnitude bits in two's complement order; the offset moves the winning
// infinity to the top of the finite range, so that NaNs of either sign wrap around to above it.
std::int64_t key_offset(DType dtype);
// The flip: makes a maximum of a minimum, and orders the bits of unsigned integers as signed ones.
std::int64_t key_flip(DType dtype, bool minimum);

// States of more than one number.
template <class A>
struct LogSumExpState {
  A max, sum;
};  // sum of e^(x - max)
struct ArgState {
  std::int64_t key, index;
};
using WideState = __int128;  // a sum; squares are unsigned and saturate

// How states become output elements.
enum class Finish {
  kCopy,  // convert to the output type
  kMean,  // divide by count
  kSqrt,
  kLog,
  kLogSumExp,
  kExtreme,   // copy; false if there is a zero, whose sign may be wrong
  kKey,       // order-preserving key back to the element
  kWideMean,  // truncates toward zero
  kWideSqrt,  // truncates, saturates at the type's maximum
  kArg,
};

struct FinishArgs {
  std::int64_t count = 1;  // elements reduced into each state
  std::int64_t flip = 0, offset = 0;
};

// Writes `n` dense outputs from `n` states. Returns false if a result left the range of the state
// type although the exact value may fit (Mean, L2): the caller then looks at those slices again.
using FinishFn = bool (*)(const void* states, std::int64_t n, void* out, const FinishArgs& args);
// `state`: the type the states are counted in (kCopy, kMean, kSqrt, kLog, kLogSumExp); `output`: of
// the result.
FinishFn find_finish(Finish finish, DType state, DType output);

}  // namespace tenfold::kernels
