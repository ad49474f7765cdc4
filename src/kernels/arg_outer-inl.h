// The place of the extreme across rows: for each column the best so far and its row.
// Per-target: included once for each SIMD target by arg_kernels.cc.
#if defined(TENFOLD_KERNELS_ARG_OUTER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_ARG_OUTER_INL_H_
#undef TENFOLD_KERNELS_ARG_OUTER_INL_H_
#else
#define TENFOLD_KERNELS_ARG_OUTER_INL_H_
#endif

#include <algorithm>
#include <type_traits>

#include "kernels/arg_inner-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

// Across rows: the best element so far and its row for each column, a few rows a pass.
template <class T, bool kMin, bool kLast>
struct ArgOuter {
  static constexpr bool kMinimum = kMin, kTakesLast = kLast;
  using K = KeyOf<T>;
  static constexpr bool kNative = std::is_floating_point_v<T>;
  using KeyOp = MaxKeyOp<typename ArgInner<T, kMin>::KeyT, K>;
  using R = Raw<typename KeyOp::In>;
  using W = std::conditional_t<sizeof(K) == 8, int64_t, int32_t>;  // keys and rows in equal lanes
  using B = std::conditional_t<kNative, T, W>;                     // what is compared
  using DW = hn::ScalableTag<W>;
  using DB = hn::ScalableTag<B>;
  using VB = hn::Vec<DB>;
  static constexpr int64_t N = hn::MaxLanes(DW());
  // Columns at once: memory gives long pieces of rows far apart faster, and 16 KB of each row leave
  // the best so far, their rows and the states in the L2 cache; of narrow types those are so much
  // larger than a row that they had better stay in L1 (measured).
  static constexpr int64_t kPiece = sizeof(R) >= 4 ? 16384 / sizeof(R) : 1024;

  static void Run(const R* p, int64_t n, int64_t row_stride, int64_t columns, ArgState* out,
                  const KernelArgs& args) {
    const KeyOp op(args);
    HWY_ALIGN B best[kPiece + 64];  // whole vectors are stored past the last column
    HWY_ALIGN W row[kPiece + 64];
    // As if there were no NaN; with one, once more in the way that minds it.
    const bool few = n <= kShortRows || n * row_stride * sizeof(R) <= kShortBytes;
    const bool nan = few && columns >= N ? ShortRows(op, p, n, row_stride, columns, best, row)
                                         : LongRows(op, p, n, row_stride, columns, best, row);
    if (nan) {
      Group<1, true, true>(op, p, p + row_stride, 0, row_stride, columns, best, row);
      for (int64_t i = 1; i < n; ++i) {
        const R* q = p + i * row_stride;
        Group<1, false, true>(op, q, q + row_stride, i, row_stride, columns, best, row);
      }
    }
    Write(op, best, row, columns, args.index, out);
  }

  static HWY_INLINE VB Load(const KeyOp& op, const R* p, int64_t count) {
    const DB db;
    const hn::Rebind<K, DB> dk;
    const hn::Rebind<R, DB> dr;
    const auto raw = count < N ? LoadTail(dr, p, static_cast<size_t>(count)) : hn::LoadU(dr, p);
    if constexpr (kNative)
      return raw;
    else if constexpr (sizeof(K) == sizeof(W))
      return Canonical<T>(dk, op.Map(dk, raw, NoBias{}), op.offset);
    else
      return hn::PromoteTo(db, Canonical<T>(dk, op.Map(dk, raw, NoBias{}), op.offset));
  }

  // States of the best elements and their places; `best` is read in whole vectors.
  static void Write(const KeyOp& op, const B* best, const W* row, int64_t columns, int64_t first,
                    ArgState* out) {
    constexpr int64_t kChunk = 512;
    HWY_ALIGN W key[kChunk + 64];
    for (int64_t c = 0; c < columns; c += kChunk) {
      const int64_t count = std::min(kChunk, columns - c);
      Keys(op, best + c, count, key);
      WriteKeys(key, row + c, count, first, out + c);
    }
  }

 private:
  using M = hn::Mask<DB>;
  // Up to so many rows, or bytes, a block of columns keeps its best in registers. More rows at once
  // that a power of two lies between would drive each other out of the L1 cache.
  static constexpr int64_t kShortRows = 8;
  static constexpr int64_t kShortBytes = 16384;

  static bool ShortRows(const KeyOp& op, const R* p, int64_t n, int64_t row_stride, int64_t columns,
                        B* best, W* row) {
    constexpr int64_t kBlock = 4;
    M nan = hn::FirstN(DB(), 0);
    int64_t c = 0;
    for (; c + kBlock * N <= columns; c += kBlock * N)
      Block<kBlock>(op, p + c, n, row_stride, best + c, row + c, nan);
    for (; c < columns; c += N) {
      c = std::min(c, columns - N);  // the last vector takes some columns again
      Block<1>(op, p + c, n, row_stride, best + c, row + c, nan);
    }
    return !hn::AllFalse(DB(), nan);
  }

  template <int kVectors>
  static HWY_INLINE void Block(const KeyOp& op, const R* p, int64_t n, int64_t row_stride, B* best,
                               W* row, M& nan) {
    const DW d;
    const DB db;
    constexpr int64_t kLine = 64 / sizeof(R);
    VB b[kVectors];
    hn::Vec<DW> at[kVectors], index = hn::Zero(d);
    TENFOLD_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      b[v] = Load(op, p + v * N, N);
      at[v] = index;
      if constexpr (kNative) nan = hn::Or(nan, hn::IsNaN(b[v]));
    }
    for (int64_t i = 1; i < n; ++i) {
      p += row_stride;
      index = hn::Add(index, hn::Set(d, W{1}));
      VB x[kVectors];
      TENFOLD_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        if (v * N % kLine == 0) __builtin_prefetch(p + v * N + 16 * kLine, 0, 3);
        x[v] = Load(op, p + v * N, N);
        Improve(x[v], index, b[v], at[v]);
      }
      if constexpr (kNative) {
        TENFOLD_UNROLL
        for (int v = 0; v < kVectors; v += 2)
          nan = hn::Or(nan, EitherNaN(db, x[v], x[std::min(v + 1, kVectors - 1)]));
      }
    }
    TENFOLD_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      hn::StoreU(b[v], db, best + v * N);
      hn::StoreU(at[v], d, row + v * N);
    }
  }

  static bool LongRows(const KeyOp& op, const R* p, int64_t n, int64_t row_stride, int64_t columns,
                       B* best, W* row) {
    // Four rows together, each read a little way ahead, and at the end of a piece the start of the
    // next four; also rows that follow each other in memory, as one at a time means four times the
    // loads and stores of what is best.
    bool nan = false;
    for (int64_t i = 0, rows; i < n; i += rows) {
      rows = std::min<int64_t>(4, n - i);
      const R* q = p + i * row_stride;
      const R* next = i + rows < n ? q + rows * row_stride : p + columns;
      nan |= i == 0 ? AnyGroup<true>(op, q, next, rows, i, row_stride, columns, best, row)
                    : AnyGroup<false>(op, q, next, rows, i, row_stride, columns, best, row);
    }
    return nan;
  }

  template <bool kFirst>
  static HWY_INLINE bool AnyGroup(const KeyOp& op, const R* p, const R* next, int64_t rows,
                                  int64_t first_row, int64_t row_stride, int64_t columns, B* best,
                                  W* row) {
    const auto group = [&]<int kRows>() HWY_ATTR {
      return Group<kRows, kFirst, false>(op, p, next, first_row, row_stride, columns, best, row);
    };
    switch (rows) {
      case 4:
        return group.template operator()<4>();
      case 3:
        return group.template operator()<3>();
      case 2:
        return group.template operator()<2>();
      default:
        return group.template operator()<1>();
    }
  }

  // A few more rows for all columns. Minding NaN: it wins over all else. Else: was there one?
  template <int kRows, bool kFirst, bool kMindNaN>
  static HWY_INLINE bool Group(const KeyOp& op, const R* p, const R* next, int64_t first_row,
                               int64_t row_stride, int64_t columns, B* best, W* row) {
    // 8 KB of all streams together (measured).
    const int64_t ahead = 8192 / sizeof(R) / kRows;
    M nan = hn::FirstN(DB(), 0);
    int64_t c = 0;
    for (; c + N <= columns; c += N) {
      if (c * sizeof(R) % 64 < N * sizeof(R)) {
        const R* far = c + ahead < columns ? p + c + ahead : next + (c + ahead - columns);
        TENFOLD_UNROLL
        for (int k = 0; k < kRows; ++k) __builtin_prefetch(far + k * row_stride, 0, 3);
      }
      Column<kRows, kFirst, kMindNaN>(op, p + c, first_row, row_stride, N, best + c, row + c, nan);
    }
    if (c < columns)
      Column<kRows, kFirst, kMindNaN>(op, p + c, first_row, row_stride, columns - c, best + c,
                                      row + c, nan);
    return !hn::AllFalse(DB(), nan);
  }

  template <int kRows, bool kFirst, bool kMindNaN>
  static HWY_INLINE void Column(const KeyOp& op, const R* p, int64_t first_row, int64_t row_stride,
                                int64_t count, B* best, W* row, M& nan) {
    const DW d;
    const DB db;
    VB b = kFirst ? Load(op, p, count) : hn::Load(db, best);
    hn::Vec<DW> at = kFirst ? hn::Set(d, static_cast<W>(first_row)) : hn::Load(d, row);
    VB x[kRows];
    TENFOLD_UNROLL
    for (int k = 0; k < kRows; ++k) {
      x[k] = kFirst && k == 0 ? b : Load(op, p + k * row_stride, count);
      if (kFirst && k == 0) continue;
      const auto index = hn::Set(d, static_cast<W>(first_row + k));
      if constexpr (kNative && kMindNaN) {
        const auto take = BeatsNaN(x[k], b);
        b = hn::IfThenElse(take, x[k], b);
        at = hn::IfThenElse(hn::RebindMask(d, take), index, at);
      } else {
        Improve(x[k], index, b, at);
      }
    }
    if constexpr (kNative && !kMindNaN) {
      TENFOLD_UNROLL
      for (int k = 0; k < kRows; k += 2)
        nan = hn::Or(nan, EitherNaN(db, x[k], x[std::min(k + 1, kRows - 1)]));
    }
    hn::Store(b, db, best);
    hn::Store(at, d, row);
  }

  // A later element takes the place of the best so far if it beats it; a NaN never does.
  static HWY_INLINE void Improve(VB x, hn::Vec<DW> index, VB& best, hn::Vec<DW>& at) {
    const DW d;
    M take;
    if constexpr (!kNative)
      take = kLast ? hn::Not(hn::Gt(best, x)) : hn::Gt(x, best);
    else if constexpr (kLast)
      take = kMin ? hn::Le(x, best) : hn::Ge(x, best);
    else
      take = kMin ? hn::Lt(x, best) : hn::Gt(x, best);
    at = hn::IfThenElse(hn::RebindMask(d, take), index, at);
    best = kMin ? hn::Min(x, best) : hn::Max(x, best);
  }

  static HWY_INLINE M BeatsNaN(VB v, VB best) {
    if constexpr (kLast)  // NaN takes over even from NaN, anything else never from NaN
      return hn::Or(kMin ? hn::Le(v, best) : hn::Ge(v, best), hn::IsNaN(v));
    else  // "not at or behind" holds for a NaN too; a NaN that stands stays
      return hn::AndNot(hn::IsNaN(best), hn::Not(kMin ? hn::Ge(v, best) : hn::Le(v, best)));
  }

  static HWY_INLINE void Keys(const KeyOp& op, const B* best, int64_t columns, W* key) {
    const DW d;
    const DB db;
    for (int64_t c = 0; c < columns; c += N) {
      if constexpr (kNative) {
        const auto k = op.Map(d, hn::Load(db, best + c), NoBias{});
        hn::Store(Canonical<T>(d, k, op.offset), d, key + c);
      } else {
        hn::Store(hn::Load(db, best + c), d, key + c);
      }
    }
  }

  static HWY_INLINE void WriteKeys(const W* key, const W* row, int64_t columns, int64_t first,
                                   ArgState* out) {
    const hn::ScalableTag<int64_t> d;
    const hn::Rebind<W, decltype(d)> dw;
    constexpr int64_t kStep = hn::MaxLanes(d);
    static_assert(sizeof(ArgState) == 2 * sizeof(int64_t));
    const auto widen = [&](const W* p) HWY_ATTR {
      if constexpr (sizeof(W) == 8)
        return hn::LoadU(dw, p);
      else
        return hn::PromoteTo(d, hn::LoadU(dw, p));
    };
    int64_t c = 0;
    for (; c + kStep <= columns; c += kStep)
      hn::StoreInterleaved2(widen(key + c), hn::Add(widen(row + c), hn::Set(d, first)), d,
                            reinterpret_cast<int64_t*>(out + c));
    for (; c < columns; ++c) out[c] = {key[c], first + row[c]};
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
