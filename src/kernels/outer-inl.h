// Folds across rows: the reduced axis is an outer one, each column is folded by itself.
// Per-target: included once for each SIMD target by the kernel files.
//
//   row 0  x[c]                 c = 0 .. columns-1
//   row 1  x[row_stride + c]                              states[c] = fold over the rows
//   …
#if defined(TENFOLD_KERNELS_OUTER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_OUTER_INL_H_
#undef TENFOLD_KERNELS_OUTER_INL_H_
#else
#define TENFOLD_KERNELS_OUTER_INL_H_
#endif

#include <algorithm>
#include <cstdlib>

#include "kernels/lanes-inl.h"
#include "kernels/outer_passes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

template <class Op>
struct Outer {
  using L = Lanes<Op>;
  using A = typename L::A;
  using R = typename L::R;
  using D = typename L::D;
  using V = typename L::V;
  static constexpr int64_t N = L::N;

  // Never part of its caller: GCC 12 would see reads past a vector there.
  static HWY_NOINLINE void Run(const void* x, int64_t groups, int64_t group_stride, int64_t n,
                               int64_t row_stride, int64_t columns, void* states,
                               std::byte* scratch, const KernelArgs& args) {
    const Op op(args);
    const R* p = static_cast<const R*>(x);
    A* out = static_cast<A*>(states);
    const A* bias = static_cast<const A*>(args.bias);
    const bool is_short = IsShort(n, row_stride, columns);
    const bool one_run = groups > 1 && group_stride == n * row_stride && row_stride == columns;
    for (int64_t g = 0; g < groups; ++g, p += group_stride, out += columns) {
      const A* group_bias = bias ? bias + g * columns : nullptr;
      // Long rows are followed; short ones are small blocks, of which the next one comes.
      int64_t ahead = 0;
      if (columns * sizeof(R) >= 4096)
        ahead = 1024 / sizeof(R);
      else if (groups > 1)
        ahead = one_run ? std::max<int64_t>(group_stride, kRunAhead) : group_stride;
      if (is_short)
        AnyShort(op, p, n, row_stride, columns, out, group_bias, ahead);
      else
        Long(op, p, n, row_stride, columns, out, reinterpret_cast<A*>(scratch), group_bias,
             one_run);
    }
  }

  // Whether a vector of columns is folded over all rows before the next one is. Long rows want
  // passes of a few rows each: more streams would drive each other out of the L1 cache.
  static bool IsShort(int64_t n, int64_t row_stride, int64_t columns) {
    if (n > kShortRows) return false;
    if (Op::kHeavy || n <= 8) return true;
    if (columns >= kPassLeast) return Op::kOrdered && n < 16;
    if (n <= 16) return true;
    const bool flat = row_stride == columns && columns >= kFlatLeast && n * columns > kFlatGroup;
    return Op::kOrdered && 2 * columns >= N && !flat;
  }
  // Columns from which on rows are long; columns and elements from which on dense rows are better
  // read flat: a group and the next one, which is on its way, do not fit the L1 cache (measured).
  static constexpr int64_t kPassLeast = 256, kFlatLeast = 64, kFlatGroup = 24576 / sizeof(R);

  // Joins two arrays of states.
  static void Merge(void* a, const void* b, int64_t count, const KernelArgs& args) {
    MergeRows(Op(args), static_cast<A*>(a), static_cast<const A*>(b), count);
  }

  // Up to this many rows, a column's 16 row accumulators stay in registers; at most a leaf.
  static constexpr int64_t kShortRows = 128;

 private:
  // Groups that follow each other are one run of memory, which is followed so far (measured).
  static constexpr int64_t kRunAhead = 8192 / sizeof(R);

  static HWY_INLINE void AnyShort(const Op& op, const R* p, int64_t n, int64_t row_stride,
                                  int64_t columns, A* out, const A* bias, int64_t ahead) {
    if constexpr (Op::kHeavy) {
      ShortHeavy(op, p, n, row_stride, columns, out, bias);
    } else if (columns < N) {
      StoreTail(ShortColumns<16, true>(op, p, n, row_stride, columns, bias, ahead), D(), out,
                static_cast<size_t>(columns));
    } else if (n <= 4) {
      Short<4>(op, p, n, row_stride, columns, out, bias, ahead);
    } else if (n <= 8) {
      Short<8>(op, p, n, row_stride, columns, out, bias, ahead);
    } else {
      Short<16>(op, p, n, row_stride, columns, out, bias, ahead);
    }
  }

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
    if (c == columns) return;
    c = columns - N;  // the last vector takes some columns again
    hn::StoreU(
        ShortColumns<kRows, false>(op, p + c, n, row_stride, N, bias ? bias + c : nullptr, ahead),
        d, out + c);
  }

  template <int kRows, bool kTail>
  static HWY_INLINE V ShortColumns(const Op& op, const R* p, int64_t n, int64_t row_stride,
                                   int64_t count, const A* bias, int64_t ahead) {
    const D d;
    const auto b = Op::ColumnBias(d, bias, static_cast<size_t>(count));
    // The next row.
    const auto next = [&]() HWY_ATTR {
      const R* q = p;
      p = Opaque(p + row_stride);
      if (ahead != 0) __builtin_prefetch(q + ahead, 0, 3);
      if constexpr (kTail)
        return L::MapTail(op, q, b, count);
      else
        return L::Map(op, q, b);
    };
    V acc[kRows];
    if (kRows == 16 && n >= 16) {
      TENFOLD_UNROLL
      for (int l = 0; l < kRows; ++l) acc[l] = next();
      for (n -= 16; n >= 16; n -= 16) {
        TENFOLD_UNROLL
        for (int l = 0; l < kRows; ++l) acc[l] = op.Combine(d, acc[l], next());
      }
      TENFOLD_UNROLL
      for (int l = 0; l < kRows - 1; ++l) {
        if (l >= n) break;
        acc[l] = op.Combine(d, acc[l], next());
      }
    } else {
      TENFOLD_UNROLL
      for (int l = 0; l < kRows; ++l) acc[l] = l < n ? next() : hn::Set(d, Op::Identity());
    }
    TENFOLD_UNROLL
    for (int h = kRows / 2; h >= 1; h /= 2) {
      TENFOLD_UNROLL
      for (int l = 0; l < h; ++l) acc[l] = op.Combine(d, acc[l], acc[l + h]);
    }
    return acc[0];
  }

  // Keeps the compiler from holding a pointer for each row, which leaves no registers for sums.
  static HWY_INLINE const R* Opaque(const R* p) {
    asm("" : "+r"(p));
    return p;
  }

  // As Short, in rolled loops, for maps that take longer than to load and store what they go into.
  static void ShortHeavy(const Op& op, const R* p, int64_t n, int64_t row_stride, int64_t columns,
                         A* out, const A* bias) {
    const D d;
    if (columns < N) {
      V acc[16];
      for (V& lane : acc) lane = hn::Set(d, Op::Identity());
      const auto b = Op::ColumnBias(d, bias, static_cast<size_t>(columns));
      for (int64_t i = 0; i < n; ++i)
        acc[i % 16] = op.Combine(d, acc[i % 16], L::MapTail(op, p + i * row_stride, b, columns));
      return StoreTail(FoldLanes16(op, acc), d, out, static_cast<size_t>(columns));
    }
    for (int64_t c = 0; c < columns; c += N) {
      c = std::min(c, columns - N);  // the last vector takes some columns again
      const auto b = Op::ColumnBias(d, bias + c, static_cast<size_t>(N));
      V acc[16];
      for (V& lane : acc) lane = hn::Set(d, Op::Identity());
      const R* q = p + c;
      int64_t i = 0;
      for (; i + 4 <= n; i += 4, q += 4 * row_stride) {
        op.template AddRun<4, true>(d, acc + i % 16, q, row_stride, b);
      }
      for (; i < n; ++i, q += row_stride) op.template AddRun<1>(d, acc + i % 16, q, 0, b);
      hn::StoreU(FoldLanes16(op, acc), d, out + c);
    }
  }
  static HWY_INLINE V FoldLanes16(const Op& op, V* acc) {
    TENFOLD_UNROLL
    for (int h = 8; h >= 1; h /= 2) {
      TENFOLD_UNROLL
      for (int l = 0; l < h; ++l) acc[l] = op.Combine(D(), acc[l], acc[l + h]);
    }
    return acc[0];
  }

  // Any number of rows: row accumulators in scratch, four rows added per load and store of them.
  // Dense narrow rows are read flat: 16 rows of `columns` are one row of 16 * columns.
  static void Long(const Op& op, const R* p, int64_t n, int64_t row_stride, int64_t columns, A* out,
                   A* scratch, const A* bias, bool one_run) {
    const bool flat = row_stride == columns && columns < kFlatColumns;
    const int64_t lanes = Op::kOrdered || flat ? 16 : 1;
    if constexpr (Op::kOrdered && !Op::kHeavy) {
      if (!flat && n <= kShortRows)
        return OuterPasses<Op>::Run(op, p, n, row_stride, columns, out, scratch);
    }
    const int64_t leaf = Op::kOrdered ? kLeaf : n;
    const int64_t ahead = flat && one_run
                              ? kRunAhead
                              : Ahead(n, row_stride, flat || (lanes == 1 && row_stride == columns));
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
    // States twice as wide as elements are loaded and stored for twice as many.
    if constexpr (Op::kRun == 1) {
      for (; rows >= 8 && !one_run; rows -= 8, p += 8 * stride, first = false)
        AddGroup<8>(op, p, stride, width, acc, bias, ahead, first);
    }
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
      V v;
      if constexpr (Op::kRun > 0) {
        v = kFirst ? hn::Set(d, Op::Identity()) : hn::LoadU(d, acc + c);
        op.template AddRun<K>(d, &v, p + c, stride, b);
      } else {
        v = L::Map(op, p + c, b);
        if constexpr (!kFirst) v = op.Combine(d, hn::LoadU(d, acc + c), v);
        TENFOLD_UNROLL
        for (int k = 1; k < K; ++k) v = L::Add(op, v, p + k * stride + c, b);
      }
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
