// ArgMax and ArgMin: the greatest key and where it stands. NaN beats everything, the zeros tie.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/arg_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include <cmath>

#include "kernels/arg_short-inl.h"
#include "kernels/kernel_row-inl.h"
#include "kernels/keys.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

// canonical_key (keys.hpp) on vectors.
template <class T, class D>
HWY_INLINE hn::Vec<D> Canonical(D d, hn::Vec<D> key, hn::TFromD<D> offset) {
  if constexpr (!kIsFloat<T>) return key;
  using K = hn::TFromD<D>;
  const auto zero = hn::Set(d, offset);
  key = hn::IfThenElse(hn::Eq(key, hn::Sub(zero, hn::Set(d, K{1}))), zero, key);
  return hn::Min(key, hn::Set(d, wrap_add<K>(top_key_of<T>(), 1)));
}

// Along a row: the extreme of each block, then the place of it in the block that won.
// f32 and f64 compare as they are, the others as keys.
template <class T, bool kMin>
struct ArgInner {
  using K = KeyOf<T>;
  static constexpr bool kNative = std::is_floating_point_v<T>;
  using KeyT = std::conditional_t<std::is_same_v<T, BFloat16>, Float16,
                                  std::conditional_t<kIsFloat<T> || std::is_same_v<T, Bool>, T, K>>;
  using Op = std::conditional_t<kNative, ExtremeOp<T, T, kMin>, MaxKeyOp<KeyT, K>>;
  using L = Lanes<Op>;
  using R = typename L::R;
  using A = typename L::A;  // T itself or its key
  using D = typename L::D;
  // A block is four leaves: its extreme streams at bandwidth, and a second look at it hits L1.
  static constexpr int64_t kBlock = 4 * L::kLeafSize;

  static void Run(const void* x, int64_t rows, int64_t row_stride, int64_t n, void* states,
                  const KernelArgs& args) {
    const R* p = static_cast<const R*>(x);
    auto* out = static_cast<ArgState*>(states);
    for (int64_t r = 0; r < rows; ++r, p += row_stride) {
      A best{};
      K best_key = 0;
      int64_t place = -1;
      for (int64_t i = 0; i < n; i += kBlock) {
        A value;
        Inner<Op>::Run(p + i, 1, 0, std::min(kBlock, n - i), &value, args);
        const K key = Key(value, args);
        if (place < 0 || key > best_key || (args.last && key == best_key)) {
          best = value;
          best_key = key;
          place = i;
        }
      }
      const int64_t count = std::min(kBlock, n - place);
      out[r] = {best_key, args.index + place + Find(p + place, count, best, best_key, args)};
    }
  }

 private:
  static K Key(A value, const KernelArgs& args) {
    if constexpr (kNative)
      return canonical_key<T>(key_of_element<T>(value, args.flip, args.offset), args.offset);
    else
      return canonical_key<T>(value, args.offset);
  }

  static int64_t Find(const R* p, int64_t count, A best, K best_key, const KernelArgs& args) {
    const D d;
    const Op op(args);
    if constexpr (kNative) {
      const auto value = hn::Set(d, best);
      if (std::isnan(best))
        return Scan(p, count, args.last, [&](auto v) HWY_ATTR { return hn::IsNaN(v); });
      return Scan(p, count, args.last, [&](auto v) HWY_ATTR { return hn::Eq(v, value); });
    } else {
      const auto key = hn::Set(d, best_key);
      return Scan(p, count, args.last, [&](auto v) HWY_ATTR {
        return hn::Eq(Canonical<T>(d, op.Map(d, v, NoBias{}), op.offset), key);
      });
    }
  }

  // The first (or last) element for which `match` holds; there is one.
  template <class F>
  static HWY_INLINE int64_t Scan(const R* p, int64_t count, bool last, const F& match) {
    const D d;
    const typename L::DR dr;
    const auto found = [&](int64_t i) HWY_ATTR {
      if (count - i >= L::N) return match(hn::LoadU(dr, p + i));
      const auto rest = static_cast<size_t>(count - i);
      return hn::And(match(LoadTail(dr, p + i, rest)), hn::FirstN(d, rest));
    };
    if (!last) {
      int64_t i = 0;
      for (; i + 4 * L::N <= count; i += 4 * L::N)
        if (!hn::AllFalse(d, hn::Or(hn::Or(found(i), found(i + L::N)),
                                    hn::Or(found(i + 2 * L::N), found(i + 3 * L::N)))))
          break;
      for (; i < count; i += L::N) {
        const intptr_t lane = hn::FindFirstTrue(d, found(i));
        if (lane >= 0) return i + lane;
      }
      return 0;
    }
    for (int64_t i = (count - 1) / L::N * L::N; i >= 0; i -= L::N) {
      const auto mask = found(i);
      if (hn::AllFalse(d, mask)) continue;
      HWY_ALIGN A lanes[L::N];
      hn::Store(hn::IfThenElseZero(mask, hn::Set(d, A{1})), d, lanes);
      for (int64_t lane = L::N - 1; lane >= 0; --lane)
        if (lanes[lane] != A{0}) return i + lane;
    }
    return 0;
  }
};

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
  static constexpr int64_t kPiece = 1024;

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
      Group<1, true, true>(op, p, 0, row_stride, columns, best, row, 0);
      for (int64_t i = 1; i < n; ++i)
        Group<1, false, true>(op, p + i * row_stride, i, row_stride, columns, best, row, 0);
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
    HWY_ALIGN W key[kPiece + 64];
    Keys(op, best, columns, key);
    WriteKeys(key, row, columns, first, out);
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
    // Rows that follow each other in memory are read in that order, far ahead; of rows apart, the
    // next four come while these four are compared.
    const bool one_run = row_stride == columns;
    const int64_t ahead = one_run ? 8192 / static_cast<int64_t>(sizeof(R)) : 4 * row_stride;
    bool nan = Group<1, true, false>(op, p, 0, row_stride, columns, best, row, ahead);
    int64_t i = 1;
    for (; i + 4 <= n && !one_run; i += 4)
      nan |=
          Group<4, false, false>(op, p + i * row_stride, i, row_stride, columns, best, row, ahead);
    for (; i < n; ++i)
      nan |=
          Group<1, false, false>(op, p + i * row_stride, i, row_stride, columns, best, row, ahead);
    return nan;
  }

  // A few more rows for all columns. Minding NaN: it wins over all else. Else: was there one?
  template <int kRows, bool kFirst, bool kMindNaN>
  static HWY_INLINE bool Group(const KeyOp& op, const R* p, int64_t first_row, int64_t row_stride,
                               int64_t columns, B* best, W* row, int64_t ahead) {
    M nan = hn::FirstN(DB(), 0);
    int64_t c = 0;
    for (; c + N <= columns; c += N) {
      if (c * sizeof(R) % 64 < N * sizeof(R)) {
        const R* next = p + c + ahead;
        TENFOLD_UNROLL
        for (int k = 0; k < kRows; ++k) __builtin_prefetch(next + k * row_stride, 0, 3);
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
    if constexpr (kNative && kFirst && !kMindNaN) nan = hn::Or(nan, hn::IsNaN(b));
    TENFOLD_UNROLL
    for (int k = 0; k < kRows && !kFirst; ++k) {
      const VB x = Load(op, p + k * row_stride, count);
      const auto index = hn::Set(d, static_cast<W>(first_row + k));
      if constexpr (kNative && kMindNaN) {
        const auto take = BeatsNaN(x, b);
        b = hn::IfThenElse(take, x, b);
        at = hn::IfThenElse(hn::RebindMask(d, take), index, at);
      } else {
        Improve(x, index, b, at);
        if constexpr (kNative) nan = hn::Or(nan, hn::IsNaN(x));
      }
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

template <class T>
struct Arg {
  static constexpr int64_t kPiece = 1024;
  static constexpr int64_t kMaxRows = int64_t{1} << 30;  // row numbers fit a lane
  using R = typename ArgInner<T, false>::R;

  static void RunInner(const void* x, int64_t rows, int64_t row_stride, int64_t n, void* states,
                       const KernelArgs& args) {
    // Keys carry the direction in their flip; elements that compare as they are need a twin.
    constexpr bool kTwin = std::is_floating_point_v<T>;
    const R* p = static_cast<const R*>(x);
    auto* out = static_cast<ArgState*>(states);
    if (ArgShort<ArgOuter<T, false, false>>::Suits(rows, n))
      WithOrder(args, [&]<class O>() { ArgShort<O>::Run(p, rows, row_stride, n, out, args); });
    else if (kTwin && args.flip != 0)
      ArgInner<T, kTwin>::Run(x, rows, row_stride, n, states, args);
    else
      ArgInner<T, false>::Run(x, rows, row_stride, n, states, args);
  }

  static void RunOuter(const void* x, int64_t groups, int64_t group_stride, int64_t n,
                       int64_t row_stride, int64_t columns, void* states, std::byte*,
                       const KernelArgs& args) {
    const R* p = static_cast<const R*>(x);
    auto* out = static_cast<ArgState*>(states);
    for (int64_t g = 0; g < groups; ++g, p += group_stride, out += columns)
      for (int64_t c = 0; c < columns; c += kPiece) {
        const int64_t width = std::min(kPiece, columns - c);
        Piece(p + c, std::min(n, kMaxRows), row_stride, width, out + c, args);
        for (int64_t i = kMaxRows; i < n; i += kMaxRows) {
          ArgState later[kPiece];
          KernelArgs shifted = args;
          shifted.index += i;
          Piece(p + c + i * row_stride, std::min(n - i, kMaxRows), row_stride, width, later,
                shifted);
          Merge(out + c, later, width, args);
        }
      }
  }

  static void Piece(const R* p, int64_t n, int64_t row_stride, int64_t columns, ArgState* out,
                    const KernelArgs& args) {
    WithOrder(args, [&]<class O>() { O::Run(p, n, row_stride, columns, out, args); });
  }

  // Calls f with the ArgOuter of the call's direction and of which of equal elements wins.
  template <class F>
  static void WithOrder(const KernelArgs& args, const F& f) {
    constexpr bool kTwin = std::is_floating_point_v<T>;
    const bool min = kTwin && args.flip != 0;
    if (min && args.last)
      f.template operator()<ArgOuter<T, kTwin, true>>();
    else if (min)
      f.template operator()<ArgOuter<T, kTwin, false>>();
    else if (args.last)
      f.template operator()<ArgOuter<T, false, true>>();
    else
      f.template operator()<ArgOuter<T, false, false>>();
  }

  static void Merge(void* a, const void* b, int64_t count, const KernelArgs& args) {
    auto* pa = static_cast<ArgState*>(a);
    const auto* pb = static_cast<const ArgState*>(b);
    for (int64_t i = 0; i < count; ++i)
      if (pb[i].key > pa[i].key || (args.last && pb[i].key == pa[i].key)) pa[i] = pb[i];
  }

  static size_t Scratch(int64_t, int64_t) { return 0; }
};

template <class T>
constexpr ReduceKernel ArgRow(const char* name) {
  using G = Arg<T>;
  return {name,        sizeof(ArgState), kLeaf,        G::kPiece,
          &G::Scratch, &G::RunInner,     &G::RunOuter, &G::Merge};
}

const ReduceKernel* FindArgKernel(KernelOp op, DType dtype) {
  static constexpr KernelRow kRows[] = {
      {KernelOp::kArg, DType::kF64, ArgRow<double>("Arg<double>")},
      {KernelOp::kArg, DType::kF32, ArgRow<float>("Arg<float>")},
      {KernelOp::kArg, DType::kF16, ArgRow<Float16>("Arg<Float16>")},
      {KernelOp::kArg, DType::kBF16, ArgRow<BFloat16>("Arg<BFloat16>")},
      {KernelOp::kArg, DType::kI8, ArgRow<int8_t>("Arg<int8_t>")},
      {KernelOp::kArg, DType::kI16, ArgRow<int16_t>("Arg<int16_t>")},
      {KernelOp::kArg, DType::kI32, ArgRow<int32_t>("Arg<int32_t>")},
      {KernelOp::kArg, DType::kI64, ArgRow<int64_t>("Arg<int64_t>")},
      {KernelOp::kArg, DType::kBool, ArgRow<Bool>("Arg<Bool>")},
  };
  return FindRow(kRows, op, dtype);
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {
HWY_EXPORT(FindArgKernel);
const ReduceKernel* find_arg_kernel(KernelOp op, DType dtype) {
  return HWY_DYNAMIC_DISPATCH(FindArgKernel)(op, dtype);
}
}  // namespace tenfold::kernels
#endif
