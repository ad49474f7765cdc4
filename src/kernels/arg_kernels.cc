// ArgMax and ArgMin: the greatest key and where it stands. NaN beats everything, the zeros tie.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/arg_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

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

template <class T>
struct Arg {
  using K = KeyOf<T>;
  using KeyT = std::conditional_t<std::is_same_v<T, BFloat16>, Float16,
                                  std::conditional_t<kIsFloat<T> || std::is_same_v<T, Bool>, T, K>>;
  using KeyOp = MaxKeyOp<KeyT, K>;
  using L = Lanes<KeyOp>;
  using R = typename L::R;
  // A block is four leaves: its maximum streams at bandwidth, and a second look at it hits L1.
  static constexpr int64_t kBlock = 4 * L::kLeafSize;

  // ---- along a row: the maximum of each block; then the place of it in the block that won

  static void RunInner(const void* x, int64_t rows, int64_t row_stride, int64_t n, void* states,
                       const KernelArgs& args) {
    const R* p = static_cast<const R*>(x);
    auto* out = static_cast<ArgState*>(states);
    const KeyOp op(args);
    for (int64_t r = 0; r < rows; ++r, p += row_stride) {
      K best = 0;
      int64_t place = -1;
      for (int64_t i = 0; i < n; i += kBlock) {
        const K key = BlockMax(p + i, std::min(kBlock, n - i), args);
        if (place < 0 || key > best || (args.last && key == best)) {
          best = key;
          place = i;
        }
      }
      const int64_t count = std::min(kBlock, n - place);
      const int64_t at =
          args.last ? FindLast(op, p + place, count, best) : FindFirst(op, p + place, count, best);
      out[r] = {best, args.index + place + at};
    }
  }

  static K BlockMax(const R* p, int64_t n, const KernelArgs& args) {
    K key;
    Inner<KeyOp>::Run(p, 1, 0, n, &key, args);
    return canonical_key<T>(key, args.offset);
  }

  static HWY_INLINE hn::Mask<typename L::D> Matches(const KeyOp& op, const R* p, int64_t count,
                                                    K best) {
    const typename L::D d;
    const auto key = Canonical<T>(d, L::MapTail(op, p, NoBias{}, count), op.offset);
    const auto equal = hn::Eq(key, hn::Set(d, best));
    return count < L::N ? hn::And(equal, hn::FirstN(d, static_cast<size_t>(count))) : equal;
  }
  static int64_t FindFirst(const KeyOp& op, const R* p, int64_t count, K best) {
    const typename L::D d;
    for (int64_t i = 0; i < count; i += L::N) {
      const intptr_t lane =
          hn::FindFirstTrue(d, Matches(op, p + i, std::min(L::N, count - i), best));
      if (lane >= 0) return i + lane;
    }
    return 0;  // not reached: the block has its maximum
  }
  static int64_t FindLast(const KeyOp& op, const R* p, int64_t count, K best) {
    const typename L::D d;
    for (int64_t i = (count - 1) / L::N * L::N; i >= 0; i -= L::N) {
      const auto match = Matches(op, p + i, std::min(L::N, count - i), best);
      if (hn::AllFalse(d, match)) continue;
      HWY_ALIGN K lanes[L::N];
      hn::Store(hn::VecFromMask(d, match), d, lanes);
      for (int64_t lane = L::N - 1; lane >= 0; --lane)
        if (lanes[lane] != 0) return i + lane;
    }
    return 0;  // not reached
  }

  // ---- across rows: the best key and its row for each column, four rows a pass

  using W = std::conditional_t<sizeof(K) == 8, int64_t, int32_t>;  // keys and rows in equal lanes
  using DW = hn::ScalableTag<W>;
  using VW = hn::Vec<DW>;
  static constexpr int64_t NW = hn::MaxLanes(DW());
  static constexpr int64_t kPiece = 1024;
  static constexpr int64_t kMaxRows = int64_t{1} << 30;  // row numbers fit a lane

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
    const KeyOp op(args);
    HWY_ALIGN W key[kPiece + 64], row[kPiece + 64];
    if (args.last)
      Rows<true>(op, p, n, row_stride, columns, key, row);
    else
      Rows<false>(op, p, n, row_stride, columns, key, row);
    for (int64_t c = 0; c < columns; ++c) out[c] = {key[c], args.index + row[c]};
  }

  template <bool kLast>
  static void Rows(const KeyOp& op, const R* p, int64_t n, int64_t row_stride, int64_t columns,
                   W* key, W* row) {
    Group<kLast, 1, true>(op, p, 0, row_stride, columns, key, row);
    int64_t i = 1;
    for (; i + 4 <= n; i += 4)
      Group<kLast, 4, false>(op, p + i * row_stride, i, row_stride, columns, key, row);
    for (; i < n; ++i)
      Group<kLast, 1, false>(op, p + i * row_stride, i, row_stride, columns, key, row);
  }

  template <bool kLast, int kRows, bool kFirst>
  static void Group(const KeyOp& op, const R* p, int64_t first_row, int64_t row_stride,
                    int64_t columns, W* key, W* row) {
    const DW d;
    for (int64_t c = 0; c < columns; c += NW) {
      VW best = hn::Load(d, key + c), at = hn::Load(d, row + c);
      TENFOLD_UNROLL
      for (int k = 0; k < kRows; ++k) {
        const VW v = LoadKeys(op, p + k * row_stride + c, columns - c);
        const VW number = hn::Set(d, static_cast<W>(first_row + k));
        if (kFirst && k == 0) {
          best = v;
          at = number;
        } else if constexpr (kLast) {
          const auto keep = hn::Gt(best, v);
          best = hn::Max(best, v);
          at = hn::IfThenElse(keep, at, number);
        } else {
          const auto take = hn::Gt(v, best);
          best = hn::Max(best, v);
          at = hn::IfThenElse(take, number, at);
        }
      }
      hn::Store(best, d, key + c);  // the arrays reach past the last column
      hn::Store(at, d, row + c);
    }
  }

  static HWY_INLINE VW LoadKeys(const KeyOp& op, const R* p, int64_t count) {
    const DW d;
    const hn::Rebind<K, DW> dk;
    const hn::Rebind<R, DW> dr;
    const auto raw = count < NW ? LoadTail(dr, p, static_cast<size_t>(count)) : hn::LoadU(dr, p);
    const auto k = Canonical<T>(dk, op.Map(dk, raw, NoBias{}), op.offset);
    if constexpr (sizeof(K) == sizeof(W))
      return k;
    else
      return hn::PromoteTo(d, k);
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
