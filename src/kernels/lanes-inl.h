// The tree of a fold, as far as both of its shapes share it: lanes of a leaf, and leaves of a row.
// Per-target: included once for each SIMD target by inner-inl.h and outer-inl.h.
//
// The tree (for ordered ops; the others may be folded in any way and use the same code):
//   leaf    512 elements in 16 lanes: lane l adds x[l], x[l+16], …; lanes fold in halves 8, 4, 2, 1
//   above   leaves meet as in a binary counter; at the end the smallest subtree is folded in first
// A lane, row or leaf that does not exist counts as the identity. So the bits depend on n alone:
// not on the vector width (16 lanes are one AVX-512 register, two of AVX2, four of SSE4, or 16 rows
// of a column), nor on where the axis lies in memory.
#if defined(TENFOLD_KERNELS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_LANES_INL_H_
#undef TENFOLD_KERNELS_LANES_INL_H_
#else
#define TENFOLD_KERNELS_LANES_INL_H_
#endif

#include "kernels/ops-inl.h"
#include "kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

// Types and lane arithmetic shared by both shapes.
template <class Op>
struct Lanes {
  using R = Raw<typename Op::In>;
  using A = typename Op::State;
  using D = hn::ScalableTag<A>;
  using V = hn::Vec<D>;
  using DR = hn::Rebind<R, D>;
  static constexpr int64_t N = hn::MaxLanes(D());
  // Lanes of a leaf: 16, or as many narrow ones as fill the widest register.
  static constexpr int64_t kLanes = sizeof(A) >= 4 ? 16 : 64 / sizeof(A);
  static constexpr int64_t kLeafSize = 32 * kLanes;
  static constexpr int64_t NV = kLanes / N;          // vectors that hold the lanes
  static constexpr int64_t NB = N * sizeof(A) / 16;  // 128-bit blocks of a vector
  static constexpr int64_t LB = 16 / sizeof(A);      // lanes of a block
  static_assert(!Op::kOrdered || kLeafSize == kLeaf);

  template <class B>
  static HWY_INLINE V Map(const Op& op, const R* p, B bias) {
    return op.Map(D(), hn::LoadU(DR(), p), bias);
  }
  // acc combined with the next vector.
  template <class B>
  static HWY_INLINE V Add(const Op& op, V acc, const R* p, B bias) {
    if constexpr (Op::kRun > 0)
      op.template AddRun<1>(D(), &acc, p, 0, bias);
    else
      acc = op.Combine(D(), acc, Map(op, p, bias));
    return acc;
  }
  // Lanes from `count` on become the identity; memory past them is not touched.
  template <class B>
  static HWY_INLINE V MapTail(const Op& op, const R* p, B bias, int64_t count) {
    const D d;
    if (count <= 0) return hn::Set(d, Op::Identity());
    if (count >= N) return Map(op, p, bias);
    const auto c = static_cast<size_t>(count);
    const V v = op.Map(d, LoadTail(DR(), p, c), bias);
    return hn::IfThenElse(hn::FirstN(d, c), v, hn::Set(d, Op::Identity()));
  }

  static HWY_INLINE A CombineScalar(const Op& op, A a, A b) {
    const hn::Full128<A> d1;
    return hn::GetLane(op.Combine(d1, hn::Set(d1, a), hn::Set(d1, b)));
  }

  // Folds the kLanes lanes in NV vectors down to one vector.
  static HWY_INLINE V FoldVectors(const Op& op, V* acc) {
    TENFOLD_UNROLL
    for (int64_t h = NV / 2; h >= 1; h /= 2) {
      TENFOLD_UNROLL
      for (int64_t v = 0; v < h; ++v) acc[v] = op.Combine(D(), acc[v], acc[v + h]);
    }
    return acc[0];
  }

  // Folds the lanes of one vector in halves.
  template <class DH>
  static HWY_INLINE A FoldLanes(const Op& op, DH d, hn::Vec<DH> v) {
    if constexpr (hn::MaxLanes(DH()) > LB) {
      const hn::Half<DH> dh;
      return FoldLanes(op, dh, op.Combine(dh, hn::LowerHalf(dh, v), hn::UpperHalf(dh, v)));
    } else {
      v = op.Combine(d, v, ShiftDown<8>(d, v));
      if constexpr (sizeof(A) <= 4) v = op.Combine(d, v, ShiftDown<4>(d, v));
      if constexpr (sizeof(A) <= 2) v = op.Combine(d, v, ShiftDown<2>(d, v));
      if constexpr (sizeof(A) <= 1) v = op.Combine(d, v, ShiftDown<1>(d, v));
      return hn::GetLane(v);
    }
  }

  // Folds N rows of N lanes at once, row j into lane j. Each step joins two vectors: the first half
  // of every row meets its second half, and the result holds the rows of both side by side.
  static HWY_INLINE V FoldRows(const Op& op, const V* r) {
    if constexpr (LB == 4) {
      return JoinOdd(op, JoinHalfBlock(op, Blocks(op, r), Blocks(op, r + 2)),
                     JoinHalfBlock(op, Blocks(op, r + 1), Blocks(op, r + 3)));
    } else {
      return JoinHalfBlock(op, Blocks(op, r), Blocks(op, r + 1));
    }
  }

 private:
  template <int kBytes, class DH>
  static HWY_INLINE hn::Vec<DH> ShiftDown(DH d, hn::Vec<DH> v) {
    const hn::Repartition<uint8_t, DH> d8;
    return hn::BitCast(d, hn::ShiftRightBytes<kBytes>(d8, hn::BitCast(d8, v)));
  }
  // Rows 0, LB, 2 LB, 3 LB, one 128-bit block each.
  static HWY_INLINE V Blocks(const Op& op, const V* r) {
    if constexpr (NB == 4) {
      const V x = JoinHalf(op, r[0], r[2 * LB]), y = JoinHalf(op, r[LB], r[3 * LB]);
      // (x0 x1 | x2 x3) and (y0 y1 | y2 y3) to x0+x1, y0+y1, x2+x3, y2+y3.
      return op.Combine(D(), hn::OddEvenBlocks(y, x),
                        hn::SwapAdjacentBlocks(hn::OddEvenBlocks(x, y)));
    } else if constexpr (NB == 2) {
      return JoinHalf(op, r[0], r[LB]);
    } else {
      return r[0];
    }
  }
  static HWY_INLINE V JoinHalf(const Op& op, V x, V y) {
    const D d;
    return op.Combine(d, hn::ConcatLowerLower(d, y, x), hn::ConcatUpperUpper(d, y, x));
  }
  static HWY_INLINE V JoinHalfBlock(const Op& op, V x, V y) {
    const D d;
    const hn::Repartition<uint64_t, D> d64;
    const auto x64 = hn::BitCast(d64, x), y64 = hn::BitCast(d64, y);
    return op.Combine(d, hn::BitCast(d, hn::InterleaveLower(d64, x64, y64)),
                      hn::BitCast(d, hn::InterleaveUpper(d64, x64, y64)));
  }
  static HWY_INLINE V JoinOdd(const Op& op, V x, V y) {
    return op.Combine(D(), hn::OddEven(y, x), hn::Shuffle2301(hn::OddEven(x, y)));
  }
};

// The tree above the leaves of one row, or (A a vector) of a row for each lane.
template <class Op, class A = typename Op::State>
struct LeafStack {
  A node[48];
  uint64_t leaves = 0;  // bit j set: node[j] holds a subtree of 2^j leaves

  // `value`: a leaf, or a subtree of 2^level leaves where their number so far is a multiple of it.
  HWY_INLINE void Push(const Op& op, A value, int level = 0) {
    leaves += uint64_t{1} << level;
    for (; (leaves >> level & 1) == 0; ++level) value = Join(op, node[level], value);
    node[level] = value;
  }
  // Folds `value`, the last leaf (partial or whole: the joins are the same) if there is one left,
  // into the smallest subtree and so on upwards.
  HWY_INLINE A Finish(const Op& op, A value, bool has_value = true) const {
    for (uint64_t rest = leaves; rest != 0; rest &= rest - 1) {
      const A next = node[__builtin_ctzll(rest)];
      value = has_value ? Join(op, next, value) : next;
      has_value = true;
    }
    return value;
  }

 private:
  static HWY_INLINE A Join(const Op& op, A a, A b) {
    if constexpr (std::is_same_v<A, typename Op::State>)
      return Lanes<Op>::CombineScalar(op, a, b);
    else
      return op.Combine(typename Lanes<Op>::D(), a, b);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
