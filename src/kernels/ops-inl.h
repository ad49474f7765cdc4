// What the reduction kernels do to each element: map it into the state type, combine two states.
// Per-target: included once for each SIMD target, by lanes-inl.h and by the kernel files.
#if defined(TENFOLD_KERNELS_OPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_OPS_INL_H_
#undef TENFOLD_KERNELS_OPS_INL_H_
#else
#define TENFOLD_KERNELS_OPS_INL_H_
#endif

#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>

#include "hwy/highway.h"
#include "kernels/reduce_kernels.hpp"
#include "kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The lane type that a storage type is loaded as.
template <class T>
struct RawLane {
  using type = T;
};
template <>
struct RawLane<Float16> {
  using type = uint16_t;
};
template <>
struct RawLane<BFloat16> {
  using type = uint16_t;
};
template <>
struct RawLane<Bool> {
  using type = uint8_t;
};
template <class T>
using Raw = typename RawLane<T>::type;

// Loads the first `count` lanes, 0 < count < Lanes(d), and never touches memory past them.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> LoadTail(D d, const T* p, size_t count) {
#if HWY_TARGET <= HWY_AVX3
  return hn::MaskedLoad(hn::FirstN(d, count), d, p);
#else
  if constexpr (HWY_TARGET == HWY_AVX2 && sizeof(T) >= 4) {
    return hn::MaskedLoad(hn::FirstN(d, count), d, p);
  } else {
    HWY_ALIGN T lanes[hn::MaxLanes(d)] = {};
    std::memcpy(lanes, p, count * sizeof(T));
    return hn::Load(d, lanes);
  }
#endif
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void StoreTail(hn::Vec<D> v, D d, T* p, size_t count) {
  HWY_ALIGN T lanes[hn::MaxLanes(d)];
  hn::Store(v, d, lanes);
  std::memcpy(p, lanes, count * sizeof(T));
}

// Raw lanes of T to state lanes of A, value preserved (half types and integers widened).
template <class T, class D, class V>
HWY_INLINE hn::Vec<D> Widen(D d, V raw) {
  using A = hn::TFromD<D>;
  if constexpr (std::is_same_v<T, A>) {
    return raw;
  } else if constexpr (std::is_same_v<T, Float16>) {
    static_assert(std::is_same_v<A, float>);
#if HWY_TARGET <= HWY_AVX2
    return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), raw));
#else
    // No conversion instruction, and Highway's emulation takes infinity and NaN for numbers. The
    // bits in place of f32's are too small by 2^112, subnormals included; exponent 31 becomes 255.
    const hn::Rebind<uint32_t, D> du;
    const auto bits = hn::PromoteTo(du, raw);
    const auto magnitude = hn::ShiftLeft<13>(hn::And(bits, hn::Set(du, 0x7FFFu)));
    const auto scaled = hn::BitCast(du, hn::Mul(hn::BitCast(d, magnitude), hn::Set(d, 0x1p112f)));
    const auto special = hn::And(
        hn::VecFromMask(du, hn::Gt(hn::And(bits, hn::Set(du, 0x7FFFu)), hn::Set(du, 0x7BFFu))),
        hn::Set(du, 0x7F800000u));
    const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(du, 0x8000u)));
    return hn::BitCast(d, hn::Or(hn::Or(scaled, special), sign));
#endif
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    const hn::Rebind<float, D> df;
    const hn::Rebind<uint32_t, D> du;
    const auto f = hn::BitCast(df, hn::ShiftLeft<16>(hn::PromoteTo(du, raw)));
    if constexpr (std::is_same_v<A, float>)
      return f;
    else
      return hn::PromoteTo(d, f);
  } else if constexpr (std::is_same_v<T, float>) {
    static_assert(std::is_same_v<A, double>);
    return hn::PromoteTo(d, raw);
  } else if constexpr (sizeof(T) == sizeof(A)) {
    return hn::BitCast(d, raw);
  } else {  // integers; signed states, so an unsigned element widens through its own kind
    static_assert(std::is_integral_v<Raw<T>> && sizeof(T) < sizeof(A));
    using Wide = std::conditional_t<std::is_signed_v<Raw<T>>, int32_t, uint32_t>;
    const hn::Rebind<Wide, D> d32;
    if constexpr (sizeof(A) == 4 || sizeof(T) == 4) {
      const hn::Rebind<std::conditional_t<std::is_signed_v<Raw<T>>, std::make_signed_t<A>,
                                          std::make_unsigned_t<A>>,
                       D>
          dw;
      return hn::BitCast(d, hn::PromoteTo(dw, raw));
    } else {
      const hn::Rebind<std::conditional_t<std::is_signed_v<Raw<T>>, int64_t, uint64_t>, D> d64;
      return hn::BitCast(d, hn::PromoteTo(d64, hn::PromoteTo(d32, raw)));
    }
  }
}

template <class D, class V>
HWY_INLINE V MulWrap(D d, V a, V b) {
  if constexpr (sizeof(hn::TFromD<D>) == 1) {
    // The low byte of a 16-bit product depends on the low bytes only.
    const hn::Repartition<uint16_t, D> d16;
    const auto a16 = hn::BitCast(d16, a), b16 = hn::BitCast(d16, b);
    const auto low = hn::And(hn::Mul(a16, b16), hn::Set(d16, 0x00FF));
    const auto high = hn::ShiftLeft<8>(hn::Mul(hn::ShiftRight<8>(a16), hn::ShiftRight<8>(b16)));
    return hn::BitCast(d, hn::Or(low, high));
  } else {
    return hn::Mul(a, b);
  }
}

struct NoBias {};

// Base of the maps without a bias.
template <class T, class A>
struct MapBase {
  using In = T;
  using State = A;
  // Floats: the order of combination is fixed by the tree. Integers: any order gives the same bits.
  static constexpr bool kOrdered = std::is_floating_point_v<A>;
  static constexpr int64_t kAhead = 8192;  // bytes that a stream prefetches ahead (measured)
  // Above 0: AddRun<K> exists, by which the vectors x, x + stride, … go into one state (or, kApart,
  // into K) in fewer or better interleaved steps than one by one; this is the best K along a row.
  static constexpr int kRun = 0;
  static constexpr bool kHeavy = false;  // a map so long that loops around it stay rolled
  template <class D>
  static HWY_INLINE NoBias RowBias(D, const KernelArgs&, int64_t) {
    return {};
  }
  template <class D>
  static HWY_INLINE NoBias ColumnBias(D, const State*, size_t) {
    return {};
  }
};

template <class T, class A>
struct AddBase : MapBase<T, A> {
  template <class D, class V>
  HWY_INLINE V Combine(D, V a, V b) const {
    return hn::Add(a, b);
  }
  // -0 is the identity of floating-point addition; +0 would turn a sum of -0 into +0.
  static constexpr A Identity() { return std::is_floating_point_v<A> ? A(-0.0) : A(0); }
};

template <class T, class A>
struct SumOp : AddBase<T, A> {
  explicit SumOp(const KernelArgs&) {}
  template <class D, class V>
  HWY_INLINE hn::Vec<D> Map(D d, V raw, NoBias) const {
    return Widen<T>(d, raw);
  }
};

template <class T, class A>
struct SumAbsOp : AddBase<T, A> {
  explicit SumAbsOp(const KernelArgs&) {}
  template <class D, class V>
  HWY_INLINE hn::Vec<D> Map(D d, V raw, NoBias) const {
    return hn::Abs(Widen<T>(d, raw));
  }
};

// The square is rounded before it is added (no FMA), so that every target gives the same bits. In a
// type where it is exact, FMA makes no difference.
template <class T, class A>
struct SumSquareOp : AddBase<T, A> {
  explicit SumSquareOp(const KernelArgs&) {}
  template <class D, class V>
  HWY_INLINE hn::Vec<D> Map(D d, V raw, NoBias) const {
    const auto v = Widen<T>(d, raw);
    if constexpr (std::is_floating_point_v<A>)
      return hn::Mul(v, v);
    else
      return MulWrap(d, v, v);
  }
  static constexpr int kRun = sizeof(T) < sizeof(double) && std::is_same_v<A, double> ? 1 : 0;
  template <int K, class D, class R>
  HWY_INLINE void AddRun(D d, hn::Vec<D>* acc, const R* x, int64_t stride, NoBias) const {
    const hn::Rebind<R, D> dr;
    TENFOLD_UNROLL
    for (int k = 0; k < K; ++k) {
      const auto v = Widen<T>(d, hn::LoadU(dr, x + k * stride));
      *acc = hn::MulAdd(v, v, *acc);
    }
  }
};

template <class T, class A>
struct ProdOp : MapBase<T, A> {
  explicit ProdOp(const KernelArgs&) {}
  template <class D, class V>
  HWY_INLINE hn::Vec<D> Map(D d, V raw, NoBias) const {
    return Widen<T>(d, raw);
  }
  template <class D, class V>
  HWY_INLINE V Combine(D d, V a, V b) const {
    if constexpr (std::is_floating_point_v<A>)
      return hn::Mul(a, b);
    else
      return MulWrap(d, a, b);
  }
  static constexpr A Identity() { return A(1); }
};

// Exact integer sums in two halves: kHigh = 0 adds the low 32 bits of each element (or square) as
// unsigned, kHigh = 1 the rest with its sign; exact up to 2^31 elements. Narrow types fit their low
// half whole.
template <class T, bool kSquare, bool kHigh>
struct WideOp : AddBase<T, int64_t> {
  explicit WideOp(const KernelArgs&) {}
  template <class D, class V>
  HWY_INLINE hn::Vec<D> Map(D d, V raw, NoBias) const {
    auto v = Widen<T>(d, raw);
    if constexpr (kSquare) {  // at most 32-bit elements: the square fits 64 bits, unsigned
      const hn::Repartition<uint32_t, D> d32;
      if constexpr (std::is_signed_v<T>)
        v = hn::Sub(hn::Xor(v, hn::BroadcastSignBit(v)), hn::BroadcastSignBit(v));
      v = hn::BitCast(d, hn::MulEven(hn::BitCast(d32, v), hn::BitCast(d32, v)));
    }
    if constexpr (!Split())
      return v;
    else if constexpr (!kHigh)
      return hn::And(v, hn::Set(d, 0xFFFFFFFFll));
    else if constexpr (kSquare || !std::is_signed_v<T>)
      return hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(hn::RebindToUnsigned<D>(), v)));
    else
      return hn::ShiftRight<32>(v);
  }
  static constexpr bool Split() { return sizeof(T) == 8 || (kSquare && sizeof(T) == 4); }
};

// Order-preserving keys. Integers: the element with its sign bit arranged, xor `flip` (-1 for a
// minimum). Floats: sign-magnitude bits to two's complement order, so that -0 is just below +0,
// then flip, then an offset that moves NaNs of either sign past the infinity that wins.
template <class T, class A>
struct MaxKeyOp : MapBase<T, A> {
  static constexpr bool kFloat =
      std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, Float16>;
  const A flip, offset;
  explicit MaxKeyOp(const KernelArgs& args)
      : flip(static_cast<A>(args.flip)), offset(static_cast<A>(args.offset)) {}
  template <class D, class V>
  HWY_INLINE hn::Vec<D> Map(D d, V raw, NoBias) const {
    if constexpr (std::is_same_v<T, Bool>) {
      const hn::Rebind<uint8_t, D> du;
      const auto one = hn::Min(raw, hn::Set(du, 1));  // any non-zero byte is true
      return hn::Xor(hn::BitCast(d, one), hn::Set(d, flip));
    } else if constexpr (kFloat) {
      auto v = hn::BitCast(d, raw);
      const auto magnitude = hn::Set(d, static_cast<A>(~(A{1} << (8 * sizeof(A) - 1))));
      v = hn::Xor(v, hn::And(hn::BroadcastSignBit(v), magnitude));
      return hn::Add(hn::Xor(v, hn::Set(d, flip)), hn::Set(d, offset));
    } else {
      return hn::Xor(hn::BitCast(d, raw), hn::Set(d, flip));
    }
  }
  template <class D, class V>
  HWY_INLINE V Combine(D, V a, V b) const {
    return hn::Max(a, b);
  }
  static constexpr A Identity() { return static_cast<A>(A{1} << (8 * sizeof(A) - 1)); }
};

// One comparison for two vectors, for which Highway has no name.
template <class D>
HWY_INLINE hn::Mask<D> EitherNaN(D, hn::Vec<D> a, hn::Vec<D> b) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (hn::MaxLanes(D()) == 16 && sizeof(hn::TFromD<D>) == 4)
    return hn::Mask<D>{_mm512_cmp_ps_mask(a.raw, b.raw, _CMP_UNORD_Q)};
  if constexpr (hn::MaxLanes(D()) == 8 && sizeof(hn::TFromD<D>) == 8)
    return hn::Mask<D>{_mm512_cmp_pd_mask(a.raw, b.raw, _CMP_UNORD_Q)};
#endif
  return hn::Or(hn::IsNaN(a), hn::IsNaN(b));
}

// The greatest (least) of f32 or f64 in the type itself: any NaN wins and sticks; which of two
// zeros comes out is left open (the finisher reports a zero, and the keys above decide).
template <class T, class A, bool kMin>
struct ExtremeOp : MapBase<T, A> {
  static constexpr bool kOrdered = false;
  explicit ExtremeOp(const KernelArgs&) {}
  template <class D, class V>
  HWY_INLINE hn::Vec<D> Map(D d, V raw, NoBias) const {
    return Widen<T>(d, raw);
  }
  // x86 returns the second operand if either is NaN: a NaN in `a` sticks by that, one in `x` by the
  // blend.
  template <class D, class V>
  HWY_INLINE V Combine(D, V a, V x) const {
    const V m = kMin ? hn::Min(x, a) : hn::Max(x, a);
    return hn::IfThenElse(hn::IsNaN(x), x, m);
  }
  // The extreme of K elements first, whether one is NaN beside it: one step in a long chain of
  // them.
  static constexpr int kRun = 8;
  template <int K, class D, class R>
  HWY_INLINE void AddRun(D d, hn::Vec<D>* acc, const R* x, int64_t stride, NoBias) const {
    using V = hn::Vec<D>;
    const hn::Rebind<R, D> dr;
    V v[K];
    TENFOLD_UNROLL
    for (int k = 0; k < K; ++k) v[k] = Widen<T>(d, hn::LoadU(dr, x + k * stride));
    auto nan = EitherNaN(d, v[0], v[K - 1]);
    if constexpr (K > 1) {
      TENFOLD_UNROLL
      for (int k = 1; k < K - 1; k += 2) nan = hn::Or(nan, EitherNaN(d, v[k], v[k + 1]));
      TENFOLD_UNROLL
      for (int h = K / 2; h >= 1; h /= 2) {
        TENFOLD_UNROLL
        for (int k = 0; k < h; ++k) v[k] = kMin ? hn::Min(v[k], v[k + h]) : hn::Max(v[k], v[k + h]);
      }
    }
    const V m = kMin ? hn::Min(v[0], *acc) : hn::Max(v[0], *acc);
    *acc = hn::IfThenElse(nan, hn::Set(d, std::numeric_limits<A>::quiet_NaN()), m);
  }
  static constexpr A Identity() {
    return kMin ? std::numeric_limits<A>::infinity() : -std::numeric_limits<A>::infinity();
  }
};

// 2^t for t <= 0 as p * scale: t = k + f with |f| <= 1/2, p a minimax polynomial for 2^f, scale =
// 2^k, k clamped at -126 (f32) or -1022 (f64). Relative error of the polynomial: 7.5e-8 (f32,
// degree 5), 3.1e-18 (f64, degree 11); coefficients by the Remez algorithm for the relative error
// on [-1/2, 1/2], the highest power first. NaN gives NaN.
template <class A>
struct Exp2Constants;
template <>
struct Exp2Constants<float> {
  static constexpr float kLeast = -126.0f;
  // Adding it rounds to an integer, held in the low bits together with the exponent's bias.
  static constexpr float kMagic = 0x1.8p23f + 127.0f;
  static constexpr int kExponentAt = 23;
  static constexpr float kPolynomial[] = {0x1.5c08e6p-10f, 0x1.3d0c52p-7f, 0x1.c6b6e4p-5f,
                                          0x1.ebf918p-3f,  0x1.62e428p-1f, 1.0f};
};
template <>
struct Exp2Constants<double> {
  static constexpr double kLeast = -1022.0;
  static constexpr double kMagic = 0x1.8p52 + 1023.0;
  static constexpr int kExponentAt = 52;
  static constexpr double kPolynomial[] = {
      0x1.e7aa1c12faa3cp-32, 0x1.e620fb67ac6ddp-28, 0x1.b5267882d5309p-24, 0x1.62bfc3c1d2153p-20,
      0x1.ffcbfba7bc9a1p-17, 0x1.43091310bf66dp-13, 0x1.5d87fe78cf260p-10, 0x1.3b2ab6fb9f413p-7,
      0x1.c6b08d7049fd1p-5,  0x1.ebfbdff82c5adp-3,  0x1.62e42fefa39efp-1,  1.0};
};
// K of them side by side, step by step: one alone is a long chain of dependent operations.
template <int K, class D>
HWY_INLINE void Exp2Parts(D d, const hn::Vec<D>* t, hn::Vec<D>* p, hn::Vec<D>* scale) {
  using C = Exp2Constants<hn::TFromD<D>>;
  const hn::RebindToSigned<D> di;
  const auto least = hn::Set(d, C::kLeast), magic = hn::Set(d, C::kMagic);
  hn::Vec<D> f[K], shifted[K];
  TENFOLD_UNROLL
  for (int k = 0; k < K; ++k) f[k] = hn::Max(least, t[k]);  // in this order: a NaN in t stays
  TENFOLD_UNROLL
  for (int k = 0; k < K; ++k) shifted[k] = hn::Add(f[k], magic);
  TENFOLD_UNROLL
  for (int k = 0; k < K; ++k) f[k] = hn::Sub(f[k], hn::Sub(shifted[k], magic));
  TENFOLD_UNROLL
  for (int k = 0; k < K; ++k) {
    scale[k] = hn::BitCast(d, hn::ShiftLeft<C::kExponentAt>(hn::BitCast(di, shifted[k])));
    p[k] = hn::Set(d, C::kPolynomial[0]);
  }
  for (size_t c = 1; c < std::size(C::kPolynomial); ++c) {
    const auto next = hn::Set(d, C::kPolynomial[c]);
    for (int k = 0; k < K; ++k) p[k] = hn::MulAdd(p[k], f[k], next);
  }
}
template <class D>
HWY_INLINE hn::Vec<D> Exp2(D d, hn::Vec<D> t) {
  hn::Vec<D> p, scale;
  Exp2Parts<1>(d, &t, &p, &scale);
  return hn::Mul(p, scale);
}
inline constexpr double kLog2E = 1.44269504088896340736;

// sum of e^(x - bias): the bias is the row's or column's maximum (0 where that is not finite).
template <class T, class A>
struct ExpSumOp : AddBase<T, A> {
  explicit ExpSumOp(const KernelArgs&) {}
  template <class D>
  static HWY_INLINE hn::Vec<D> RowBias(D d, const KernelArgs& args, int64_t row) {
    return hn::Set(d, static_cast<const A*>(args.bias)[row]);
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> ColumnBias(D d, const A* bias, size_t count) {
    return count < hn::Lanes(d) ? LoadTail(d, bias, count) : hn::LoadU(d, bias);
  }
  template <class D, class V>
  static HWY_INLINE hn::Vec<D> Power(D d, V raw, hn::Vec<D> bias) {
    return hn::Mul(hn::Sub(Widen<T>(d, raw), bias), hn::Set(d, static_cast<A>(kLog2E)));
  }
  template <class D, class V>
  HWY_INLINE hn::Vec<D> Map(D d, V raw, hn::Vec<D> bias) const {
    return Exp2(d, Power(d, raw, bias));
  }
  // The next group: this one is in cache already, from the pass that found its maximum.
  static constexpr int64_t kAhead = kGroup * sizeof(T);
  // p * 2^k is exact, so fusing the product with the addition changes no bit.
  static constexpr int kRun = 4;
  static constexpr bool kHeavy = true;
  template <int K, bool kApart = false, class D, class R>
  HWY_INLINE void AddRun(D d, hn::Vec<D>* acc, const R* x, int64_t stride, hn::Vec<D> bias) const {
    const hn::Rebind<R, D> dr;
    hn::Vec<D> t[K], p[K], scale[K];
    TENFOLD_UNROLL
    for (int k = 0; k < K; ++k) t[k] = Power(d, hn::LoadU(dr, x + k * stride), bias);
    Exp2Parts<K>(d, t, p, scale);
    TENFOLD_UNROLL
    for (int k = 0; k < K; ++k)
      acc[kApart ? k : 0] = hn::MulAdd(p[k], scale[k], acc[kApart ? k : 0]);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
