// The fold itself: one dyadic tree over the reduced axis, in two shapes, for any op of ops-inl.h.
// Per-target: included once for each SIMD target by the kernel files.
//
// The tree (for ordered ops; the others may be folded in any way and use the same code):
//   leaf    512 elements in 16 lanes: lane l adds x[l], x[l+16], …; lanes fold in halves 8, 4, 2, 1
//   above   leaves meet as in a binary counter; at the end the smallest subtree is folded in first
// A lane, row or leaf that does not exist counts as the identity. So the bits depend on n alone:
// not on the vector width (16 lanes are one AVX-512 register, two of AVX2, four of SSE4, or 16 rows
// of a column), nor on where the axis lies in memory.
#if defined(TENFOLD_KERNELS_TREE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_TREE_INL_H_
#undef TENFOLD_KERNELS_TREE_INL_H_
#else
#define TENFOLD_KERNELS_TREE_INL_H_
#endif

#include <algorithm>
#include <cstdlib>
#include <cstring>

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
    if constexpr (Op::kFused)
      return op.Accumulate(D(), acc, hn::LoadU(DR(), p), bias);
    else
      return op.Combine(D(), acc, Map(op, p, bias));
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

// The tree above the leaves of one row.
template <class Op>
struct LeafStack {
  using A = typename Op::State;
  A node[48];
  uint64_t leaves = 0;  // bit j set: node[j] holds a subtree of 2^j leaves

  HWY_INLINE void Push(const Op& op, A value) {
    int level = 0;
    for (; leaves >> level & 1; ++level) value = Lanes<Op>::CombineScalar(op, node[level], value);
    node[level] = value;
    ++leaves;
  }
  // Folds `value`, the partial last leaf if there is one, into the smallest subtree and so on
  // upwards.
  HWY_INLINE A Finish(const Op& op, A value, bool has_value) const {
    for (uint64_t rest = leaves; rest != 0; rest &= rest - 1) {
      const A next = node[__builtin_ctzll(rest)];
      value = has_value ? Lanes<Op>::CombineScalar(op, next, value) : next;
      has_value = true;
    }
    return value;
  }
};

// ------------------------------------------------------------------ inner: the reduced axis is
// contiguous
//
//   x  [row 0: n elements]  …row_stride…  [row 1: n elements] …      states[r] = fold of row r

template <class Op>
struct Inner {
  using L = Lanes<Op>;
  using A = typename L::A;
  using R = typename L::R;
  using D = typename L::D;
  using V = typename L::V;
  static constexpr int64_t N = L::N, NV = L::NV;

  static void Run(const void* x, int64_t rows, int64_t row_stride, int64_t n, void* states,
                  const KernelArgs& args) {
    const Op op(args);
    const R* p = static_cast<const R*>(x);
    A* out = static_cast<A*>(states);
    int64_t r = 0;
    if constexpr (sizeof(A) >= 4) {
      if (n <= L::kLeafSize) {
        if (n <= 4 && row_stride == n && n > 1) r = Interleaved(op, p, rows, n, out, args);
        if (n < L::kLanes)
          r = Narrow(op, p, r, rows, row_stride, n, out, args);
        else if (n <= kRowsAbreast)
          r = Abreast(op, p, rows, row_stride, n, out, args);
        for (; r + N <= rows; r += N) {
          V lanes[N];
          TENFOLD_UNROLL
          for (int64_t j = 0; j < N; ++j)
            lanes[j] = LeafVector(op, p + (r + j) * row_stride, n, Op::RowBias(D(), args, r + j));
          hn::StoreU(L::FoldRows(op, lanes), D(), out + r);
        }
      }
    }
    for (; r < rows; ++r) out[r] = Row(op, p + r * row_stride, n, Op::RowBias(D(), args, r));
  }

 private:
  // One leaf, possibly partial, folded to one vector.
  template <class B>
  static HWY_INLINE V LeafVector(const Op& op, const R* p, int64_t n, B bias) {
    V acc[NV];
    if (n < L::kLanes) {
      TENFOLD_UNROLL
      for (int64_t v = 0; v < NV; ++v) acc[v] = L::MapTail(op, p + v * N, bias, n - v * N);
      return L::FoldVectors(op, acc);
    }
    TENFOLD_UNROLL
    for (int64_t v = 0; v < NV; ++v) acc[v] = L::Map(op, p + v * N, bias);
    int64_t i = L::kLanes;
    for (; i + L::kLanes <= n; i += L::kLanes) {
      Prefetch(p + i);
      TENFOLD_UNROLL
      for (int64_t v = 0; v < NV; ++v) acc[v] = L::Add(op, acc[v], p + i + v * N, bias);
    }
    if (i < n) {
      TENFOLD_UNROLL
      for (int64_t v = 0; v < NV; ++v)
        acc[v] = op.Combine(D(), acc[v], L::MapTail(op, p + i + v * N, bias, n - i - v * N));
    }
    return L::FoldVectors(op, acc);
  }

  template <class B>
  static HWY_INLINE A Row(const Op& op, const R* p, int64_t n, B bias) {
    const D d;
    constexpr int64_t kSize = L::kLeafSize;
    LeafStack<Op> stack;
    const R* const end = p + n;
    for (; end - p >= kSize; p += kSize)
      stack.Push(op, L::FoldLanes(op, d, LeafVector(op, p, kSize, bias)));
    if (p == end) return stack.Finish(op, A{}, false);
    return stack.Finish(op, L::FoldLanes(op, d, LeafVector(op, p, end - p, bias)), true);
  }

  // One leaf is a chain of dependent additions, but the next leaf's chain starts while it runs; one
  // stream of loads in address order and a prefetch well ahead of it is what memory likes best.
  static HWY_INLINE void Prefetch(const R* q) {
    __builtin_prefetch(reinterpret_cast<const char*>(q) + Op::kAhead, 0, 3);
  }

  // Rows shorter than the lanes of a leaf, N at a time: one masked load each.
  static HWY_INLINE int64_t Narrow(const Op& op, const R* p, int64_t r, int64_t rows,
                                   int64_t row_stride, int64_t n, A* out, const KernelArgs& args) {
    const D d;
    const typename L::DR dr;
    const int64_t whole = n / N, rest = n % N;  // whole vectors of a row, lanes of the next one
    const auto mask = hn::FirstN(d, static_cast<size_t>(rest));
    const V identity = hn::Set(d, Op::Identity());
    p += r * row_stride;
    for (; r + N <= rows; r += N) {
      V lanes[N];
      TENFOLD_UNROLL
      for (int64_t j = 0; j < N; ++j, p += row_stride) {
        const auto bias = Op::RowBias(d, args, r + j);
        Prefetch(p);
        V acc[NV];
        TENFOLD_UNROLL
        for (int64_t v = 0; v < NV; ++v) {
          if (v < whole)
            acc[v] = L::Map(op, p + v * N, bias);
          else if (v == whole && rest > 0)
            acc[v] = hn::IfThenElse(
                mask, op.Map(d, LoadTail(dr, p + v * N, static_cast<size_t>(rest)), bias),
                identity);
          else
            acc[v] = identity;
        }
        lanes[j] = L::FoldVectors(op, acc);
      }
      hn::StoreU(L::FoldRows(op, lanes), d, out + r);
    }
    return r;
  }

  // Rows up to this length are added side by side, N of them in registers.
  static constexpr int64_t kRowsAbreast = 128;
  static HWY_INLINE int64_t Abreast(const Op& op, const R* p, int64_t rows, int64_t row_stride,
                                    int64_t n, A* out, const KernelArgs& args) {
    const D d;
    const int64_t whole = n / L::kLanes * L::kLanes;
    int64_t r = 0;
    for (; r + N <= rows; r += N, p += N * row_stride) {
      V acc[N * NV];
      TENFOLD_UNROLL
      for (int64_t j = 0; j < N; ++j) {
        Prefetch(p + j * row_stride);
        TENFOLD_UNROLL
        for (int64_t v = 0; v < NV; ++v)
          acc[j * NV + v] = L::Map(op, p + j * row_stride + v * N, Op::RowBias(d, args, r + j));
      }
      for (int64_t i = L::kLanes; i < whole; i += L::kLanes) {
        TENFOLD_UNROLL
        for (int64_t j = 0; j < N; ++j) {
          const R* q = p + j * row_stride + i;
          Prefetch(q);
          TENFOLD_UNROLL
          for (int64_t v = 0; v < NV; ++v)
            acc[j * NV + v] = L::Add(op, acc[j * NV + v], q + v * N, Op::RowBias(d, args, r + j));
        }
      }
      if (whole < n) {
        TENFOLD_UNROLL
        for (int64_t j = 0; j < N; ++j) {
          TENFOLD_UNROLL
          for (int64_t v = 0; v < NV; ++v)
            acc[j * NV + v] =
                op.Combine(d, acc[j * NV + v],
                           L::MapTail(op, p + j * row_stride + whole + v * N,
                                      Op::RowBias(d, args, r + j), n - whole - v * N));
        }
      }
      V lanes[N];
      TENFOLD_UNROLL
      for (int64_t j = 0; j < N; ++j) lanes[j] = L::FoldVectors(op, acc + j * NV);
      hn::StoreU(L::FoldRows(op, lanes), d, out + r);
    }
    return r;
  }

  // Dense rows of 2, 3 or 4: de-interleaving loads, a vector for each place in the row.
  static HWY_INLINE int64_t Interleaved(const Op& op, const R* p, int64_t rows, int64_t n, A* out,
                                        const KernelArgs& args) {
    const typename L::DR dr;
    const D d;
    int64_t r = 0;
    for (; r + N <= rows; r += N, p += N * n) {
      for (int64_t k = 0; k < n; ++k) Prefetch(p + k * N);
      const auto bias = Op::ColumnBias(d, static_cast<const A*>(args.bias) + (args.bias ? r : 0),
                                       static_cast<size_t>(N));
      hn::Vec<typename L::DR> x0, x1, x2, x3;
      V v;
      if (n == 2) {
        hn::LoadInterleaved2(dr, p, x0, x1);
        v = op.Combine(d, op.Map(d, x0, bias), op.Map(d, x1, bias));
      } else if (n == 3) {  // halves at distance 2, then 1
        hn::LoadInterleaved3(dr, p, x0, x1, x2);
        v = op.Combine(d, op.Combine(d, op.Map(d, x0, bias), op.Map(d, x2, bias)),
                       op.Map(d, x1, bias));
      } else {
        hn::LoadInterleaved4(dr, p, x0, x1, x2, x3);
        v = op.Combine(d, op.Combine(d, op.Map(d, x0, bias), op.Map(d, x2, bias)),
                       op.Combine(d, op.Map(d, x1, bias), op.Map(d, x3, bias)));
      }
      hn::StoreU(v, d, out + r);
    }
    return r;
  }
};

// ------------------------------------------------------------------ outer: the reduced axis runs
// across rows
//
//   row 0  x[c]                 c = 0 .. columns-1
//   row 1  x[row_stride + c]                         states[c] = fold over the rows
//   …
template <class Op>
struct Outer {
  using L = Lanes<Op>;
  using A = typename L::A;
  using R = typename L::R;
  using D = typename L::D;
  using V = typename L::V;
  static constexpr int64_t N = L::N;

  static void Run(const void* x, int64_t groups, int64_t group_stride, int64_t n,
                  int64_t row_stride, int64_t columns, void* states, std::byte* scratch,
                  const KernelArgs& args) {
    const Op op(args);
    const R* p = static_cast<const R*>(x);
    A* out = static_cast<A*>(states);
    const A* bias = static_cast<const A*>(args.bias);
    for (int64_t g = 0; g < groups; ++g, p += group_stride, out += columns) {
      const A* group_bias = bias ? bias + g * columns : nullptr;
      // Long rows are followed; short ones are small blocks, of which the next one comes.
      const int64_t ahead = columns * sizeof(R) >= 4096 ? 1024 / sizeof(R)
                            : groups > 1                ? group_stride
                                                        : 0;
      if (n <= 4)
        Short<4>(op, p, n, row_stride, columns, out, group_bias, ahead);
      else if (n <= 8)
        Short<8>(op, p, n, row_stride, columns, out, group_bias, ahead);
      else if (n <= 16 || (Op::kOrdered && n <= kShortRows && 2 * columns >= N))
        Short<16>(op, p, n, row_stride, columns, out, group_bias, ahead);
      else
        Long(op, p, n, row_stride, columns, out, reinterpret_cast<A*>(scratch), group_bias);
    }
  }

  // Joins two arrays of states.
  static void Merge(void* a, const void* b, int64_t count, const KernelArgs& args) {
    MergeRows(Op(args), static_cast<A*>(a), static_cast<const A*>(b), count);
  }

  // Up to this many rows, a column's 16 row accumulators stay in registers; at most a leaf.
  static constexpr int64_t kShortRows = 128;

 private:
  // kRows row accumulators in registers for one vector of columns; n <= kRows, or kRows == 16 and n
  // <= 512.
  template <int kRows>
  static HWY_INLINE void Short(const Op& op, const R* p, int64_t n, int64_t row_stride,
                               int64_t columns, A* out, const A* bias, int64_t ahead) {
    const D d;
    int64_t c = 0;
    for (; c + N <= columns; c += N)
      hn::StoreU(
          ShortColumns<kRows, false>(op, p + c, n, row_stride, N, bias ? bias + c : nullptr, ahead),
          d, out + c);
    if (c < columns)
      StoreTail(ShortColumns<kRows, true>(op, p + c, n, row_stride, columns - c,
                                          bias ? bias + c : nullptr, ahead),
                d, out + c, static_cast<size_t>(columns - c));
  }

  template <int kRows, bool kTail>
  static HWY_INLINE V ShortColumns(const Op& op, const R* p, int64_t n, int64_t row_stride,
                                   int64_t count, const A* bias, int64_t ahead) {
    const D d;
    const auto b = Op::ColumnBias(d, bias, static_cast<size_t>(count));
    const auto map = [&](const R* q) HWY_ATTR {
      if (ahead != 0) __builtin_prefetch(q + ahead, 0, 3);
      if constexpr (kTail)
        return L::MapTail(op, q, b, count);
      else
        return L::Map(op, q, b);
    };
    V acc[kRows];
    TENFOLD_UNROLL
    for (int l = 0; l < kRows; ++l)
      acc[l] = l < n ? map(p + l * row_stride) : hn::Set(d, Op::Identity());
    if constexpr (kRows == 16) {
      int64_t i = 16;
      for (; i + 16 <= n; i += 16) {
        TENFOLD_UNROLL
        for (int l = 0; l < 16; ++l) acc[l] = op.Combine(d, acc[l], map(p + (i + l) * row_stride));
      }
      TENFOLD_UNROLL
      for (int l = 0; l < 15; ++l) {
        if (i + l >= n) break;
        acc[l] = op.Combine(d, acc[l], map(p + (i + l) * row_stride));
      }
    }
    TENFOLD_UNROLL
    for (int h = kRows / 2; h >= 1; h /= 2) {
      TENFOLD_UNROLL
      for (int l = 0; l < h; ++l) acc[l] = op.Combine(d, acc[l], acc[l + h]);
    }
    return acc[0];
  }

  // Any number of rows: row accumulators in scratch, four rows added per load and store of them.
  // Dense narrow rows are read flat: 16 rows of `columns` are one row of 16 * columns.
  static void Long(const Op& op, const R* p, int64_t n, int64_t row_stride, int64_t columns, A* out,
                   A* scratch, const A* bias) {
    const bool flat = row_stride == columns && columns < kFlatColumns;
    const int64_t lanes = Op::kOrdered || flat ? 16 : 1;
    const int64_t leaf = Op::kOrdered ? kLeaf : n;
    const int64_t ahead = Ahead(n, row_stride, flat || (lanes == 1 && row_stride == columns));
    A* acc = scratch;
    if (bias != nullptr && flat) {  // the bias of 16 rows side by side
      A* wide = scratch + 16 * columns;
      for (int64_t l = 0; l < 16; ++l) std::copy_n(bias, columns, wide + l * columns);
      bias = wide;
      scratch = wide;
    }
    A* stack = scratch + 16 * columns;
    uint64_t leaves = 0;
    for (int64_t i = 0; i < n; i += leaf, p += leaf * row_stride) {
      const int64_t rows = std::min(leaf, n - i);
      A* into = lanes == 1 ? out : acc;
      if (flat)
        LeafFlat(op, p, rows, columns, into, bias, ahead);
      else
        LeafRows(op, p, rows, row_stride, columns, lanes, into, bias, ahead);
      FoldRowLanes(op, into, std::min(lanes, rows), columns);
      if (i + rows ==
          n) {  // the last leaf, whole or partial: fold the stack into it, smallest first
        uint64_t rest = leaves;
        // A whole last leaf takes part in the binary counter first; the order of joins is the same.
        for (; rest != 0; rest &= rest - 1)
          MergeInto(op, stack + __builtin_ctzll(rest) * columns, into, columns);
        if (into != out) std::copy_n(into, columns, out);
        return;
      }
      int level = 0;
      for (; leaves >> level & 1; ++level) MergeInto(op, stack + level * columns, into, columns);
      std::copy_n(into, columns, stack + level * columns);
      ++leaves;
    }
  }
  static constexpr int64_t kFlatColumns = 512;

  // How far ahead of each stream to prefetch, in elements: rows of their own are followed a little
  // way, one run of memory further (both measured); what L2 holds is better left alone.
  static int64_t Ahead(int64_t n, int64_t row_stride, bool one_run) {
    constexpr int64_t kSize = sizeof(R);
    if (n * std::abs(row_stride) * kSize <= (1 << 20)) return 0;
    return (one_run ? 8192 : 1024) / kSize;
  }

  // acc[l * columns + c] = fold of rows l, l + lanes, … of a leaf.
  static HWY_INLINE void LeafRows(const Op& op, const R* p, int64_t rows, int64_t row_stride,
                                  int64_t columns, int64_t lanes, A* acc, const A* bias,
                                  int64_t ahead) {
    for (int64_t l = 0; l < std::min(lanes, rows); ++l)
      AddRows(op, p + l * row_stride, (rows - l + lanes - 1) / lanes, lanes * row_stride, columns,
              acc + l * columns, bias, ahead);
  }

  static HWY_INLINE void LeafFlat(const Op& op, const R* p, int64_t rows, int64_t columns, A* acc,
                                  const A* bias, int64_t ahead) {
    const int64_t whole = rows / 16, rest = rows % 16, width = 16 * columns;
    if (whole > 0) AddRows(op, p, whole, width, width, acc, bias, ahead);
    if (rest > 0)
      AddGroup<1>(op, p + whole * width, width, rest * columns, acc, bias, ahead, whole == 0);
  }

  static HWY_INLINE void AddRows(const Op& op, const R* p, int64_t rows, int64_t stride,
                                 int64_t width, A* acc, const A* bias, int64_t ahead) {
    bool first = true;
    // Rows that follow each other in memory are read in that order; rows apart, four at a time.
    const bool one_run = stride == width && ahead != 0;
    for (; rows >= 4 && !one_run; rows -= 4, p += 4 * stride, first = false)
      AddGroup<4>(op, p, stride, width, acc, bias, ahead, first);
    for (; rows >= 1; --rows, p += stride, first = false)
      AddGroup<1>(op, p, stride, width, acc, bias, ahead, first);
  }

  // acc = acc, row 0, … row K-1 combined in this order; `first`: without the old acc.
  template <int K>
  static void AddGroup(const Op& op, const R* p, int64_t stride, int64_t width, A* acc,
                       const A* bias, int64_t ahead, bool first) {
    if (first)
      AddGroupLoop<K, true>(op, p, stride, width, acc, bias, ahead);
    else
      AddGroupLoop<K, false>(op, p, stride, width, acc, bias, ahead);
  }
  template <int K, bool kFirst>
  static HWY_INLINE void AddGroupLoop(const Op& op, const R* p, int64_t stride, int64_t width,
                                      A* acc, const A* bias, int64_t ahead) {
    const D d;
    int64_t c = 0;
    for (; c + N <= width; c += N) {
      const auto b = Op::ColumnBias(d, bias + (bias ? c : 0), static_cast<size_t>(N));
      if (ahead != 0) {
        // The end of a piece prefetches the start of the next rows.
        const R* next = p + c + ahead;
        if (c + ahead >= width && stride != width) next += K * stride - width;
        TENFOLD_UNROLL
        for (int k = 0; k < K; ++k) __builtin_prefetch(next + k * stride, 0, 3);
      }
      V v = L::Map(op, p + c, b);
      if constexpr (!kFirst) v = op.Combine(d, hn::LoadU(d, acc + c), v);
      TENFOLD_UNROLL
      for (int k = 1; k < K; ++k) v = L::Add(op, v, p + k * stride + c, b);
      hn::StoreU(v, d, acc + c);
    }
    if (c < width) {
      const auto b = Op::ColumnBias(d, bias + (bias ? c : 0), static_cast<size_t>(width - c));
      V v = L::MapTail(op, p + c, b, width - c);
      if constexpr (!kFirst)
        v = op.Combine(d, LoadTail(d, acc + c, static_cast<size_t>(width - c)), v);
      for (int k = 1; k < K; ++k)
        v = op.Combine(d, v, L::MapTail(op, p + k * stride + c, b, width - c));
      StoreTail(v, d, acc + c, static_cast<size_t>(width - c));
    }
  }

  // Folds row accumulators in halves at distance 8, 4, 2, 1 into the first; missing ones are the
  // identity.
  static HWY_INLINE void FoldRowLanes(const Op& op, A* acc, int64_t lanes, int64_t columns) {
    for (int64_t h = 8; h >= 1; h /= 2) {
      if (lanes <= h) continue;
      MergeRows(op, acc, acc + h * columns, (lanes - h) * columns);
      lanes = h;
    }
  }

  // a = a joined with b.
  static HWY_INLINE void MergeRows(const Op& op, A* a, const A* b, int64_t count) {
    const D d;
    int64_t i = 0;
    for (; i + N <= count; i += N)
      hn::StoreU(op.Combine(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, a + i);
    for (; i < count; ++i) a[i] = L::CombineScalar(op, a[i], b[i]);
  }
  // b = a joined with b.
  static HWY_INLINE void MergeInto(const Op& op, const A* a, A* b, int64_t count) {
    MergeRows(op, b, a, count);  // every combination here is commutative
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
