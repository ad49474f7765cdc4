// The place of the extreme along a row: block by block, then a look at the block that won.
// Per-target: included once for each SIMD target by arg_kernels.cc.
#if defined(TENFOLD_KERNELS_ARG_INNER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_ARG_INNER_INL_H_
#undef TENFOLD_KERNELS_ARG_INNER_INL_H_
#else
#define TENFOLD_KERNELS_ARG_INNER_INL_H_
#endif

#include <algorithm>
#include <cmath>

#include "kernels/inner-inl.h"
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

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
