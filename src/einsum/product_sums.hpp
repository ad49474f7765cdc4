// What the kernels of sums of products share: the kept axes of a pair, the tree of partial sums and
// the way of finished sums into the output. Called by dot.cpp, columns.cpp and their plans.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/convert.hpp"
#include "einsum/axis_list.hpp"
#include "einsum/cost.hpp"
#include "kernels/elementwise_kernels.hpp"
#include "kernels/reduce_kernels.hpp"
#include "reduce/scratch.hpp"

namespace tenfold::einsum_detail {

// No axis: one position that steps nowhere.
inline constexpr PairAxis kNoAxis{1, 0, 0, 0};

inline std::int64_t bytes_in(DType type) { return static_cast<std::int64_t>(size_of(type)); }

inline void swap_operands(PairAxis& axis) { std::swap(axis.a, axis.b); }

// The axes of a pair that stay; false if there are too many.
inline bool kept_axes(const Pair& pair, AxisList& kept) {
  for (const PairAxes* axes : {&pair.batch, &pair.m, &pair.n})
    for (const PairAxis& axis : *axes)
      if (!kept.push(axis)) return false;
  return true;
}
// Whether axis lists of the pair hold all that is kept and all that is summed.
inline bool fits_axis_lists(const Pair& pair) {
  constexpr auto kMost = static_cast<std::size_t>(AxisList::kMost);
  return pair.batch.size() + pair.m.size() + pair.n.size() <= kMost && pair.k.size() <= kMost;
}
// Contiguous in an operand, forwards or backwards.
inline bool is_unit(const PairAxis& axis) { return std::abs(axis.a) == 1 || std::abs(axis.b) == 1; }
inline AxisList without(const AxisList& axes, int left_out) {
  AxisList rest;
  for (int i = 0; i < axes.size(); ++i)
    if (i != left_out) rest.push(axes[i]);
  return rest;
}

// Time to read so many bytes once. These kernels do little else, at the rate of the level that
// holds the operands: the second, a large third level, memory behind prefetches.
inline double read_ns(double bytes) {
  constexpr double kThirdLevelBytes = 32 << 20, kThirdLevelBytesPerNs = 90;
  constexpr double kPrefetchedBytesPerNs = 60;
  if (bytes <= static_cast<double>(kCacheBytes)) return bytes / kCacheBytesPerNs;
  return bytes / (bytes <= kThirdLevelBytes ? kThirdLevelBytesPerNs : kPrefetchedBytesPerNs);
}

inline std::int64_t round_up(std::int64_t x, std::int64_t to) { return (x + to - 1) / to * to; }
inline std::int64_t pieces_of(std::int64_t x, std::int64_t size) { return (x + size - 1) / size; }

// Pieces for each thread: enough to even out, few enough to stay large.
inline constexpr std::int64_t kPiecesPerThread = 4;
// Bytes on the stack for the sums of parts that several threads fold.
inline constexpr std::int64_t kPartBytes = 16384;

// A half-open range along a summed axis.
struct Part {
  std::int64_t begin, end;
  std::int64_t size() const { return end - begin; }
};

// Partial sums of neighbouring ranges meet as in a binary counter (ARCHITECTURE.md, "Same bits").
class SumTree {
 public:
  explicit SumTree(DType acc)
      : kernel_(kernels::find_kernel(kernels::KernelOp::kSum, acc)), acc_(acc) {}

  // A tree of rows of `count` sums in memory at `nodes`.
  StateTree grow(std::int64_t count, std::byte* nodes) const {
    return StateTree(*kernel_, kNone, count, nodes);
  }
  // Bytes for the nodes over `leaves` of them.
  std::int64_t bytes(std::int64_t leaves, std::int64_t count) const {
    return StateTree::bytes(leaves, count * bytes_in(acc_));
  }
  // Folds rows of sums as a subtree of their own into the first.
  void fold_rows(std::byte* rows, std::int64_t positions, std::int64_t count) const {
    if (count > 1) return StateTree::fold_rows(*kernel_, kNone, rows, positions, count);
    visit_dtype(acc_, [&]<class T>() {  // single sums: a call for each addition would take longer
      if constexpr (std::is_floating_point_v<T>)
        fold_ones(reinterpret_cast<T*>(rows), positions);
      else if constexpr (std::is_integral_v<T>)  // wraps
        fold_ones(reinterpret_cast<std::make_unsigned_t<T>*>(rows), positions);
    });
  }

 private:
  template <class T>
  static void fold_ones(T* x, std::int64_t count) {
    for (std::int64_t step = 1; step < count; step *= 2)
      for (std::int64_t i = 0; i + step < count; i += 2 * step) x[i] += x[i + step];
  }

  static constexpr kernels::KernelArgs kNone{};
  const kernels::ReduceKernel* kernel_;
  DType acc_;
};

// Elements of an operand to dense ones in the type of the sums; vectors of those side by side.
class ToSums {
 public:
  ToSums(DType from, DType acc)
      : any_(find_convert(from, acc)), dense_(kernels::find_convert_rows(from, acc)) {}

  // `stride` in elements.
  void operator()(const std::byte* from, std::int64_t stride, std::int64_t count, void* to) const {
    if (stride == 1)
      dense_({.a = from, .c = to, .n = count});
    else
      any_(from, stride, count, to);
  }

 private:
  ConvertFn any_;
  kernels::RowsFn dense_;
};

// Converts finished sums and puts them into the output; a NaN becomes the canonical one.
class SumStore {
 public:
  SumStore(DType acc, DType out)
      : finish_(is_float(out) ? kernels::find_finish(kernels::Finish::kCopy, acc, out) : nullptr),
        convert_(find_convert(acc, out)),
        out_(out) {}

  // c[i * stride] = sums[i]; `dense` has room for `count` elements.
  void store(const std::byte* sums, std::int64_t count, std::byte* c, std::int64_t stride,
             std::byte* dense) const {
    const bool direct = stride == 1 || count == 1;
    std::byte* to = direct ? c : dense;
    if (finish_ != nullptr)
      finish_(sums, count, to, {});
    else
      convert_(sums, 1, count, to);
    if (direct) return;
    visit_dtype(out_, [&]<class T>() {
      const T* from = reinterpret_cast<const T*>(dense);
      T* q = reinterpret_cast<T*>(c);
      for (std::int64_t i = 0; i < count; ++i) q[i * stride] = from[i];
    });
  }

 private:
  kernels::FinishFn finish_;
  ConvertFn convert_;
  DType out_;
};

}  // namespace tenfold::einsum_detail
