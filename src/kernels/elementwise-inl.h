// Rows of elements: load and convert, compute, convert and store.
// Per-target: included once for each SIMD target by elementwise_kernels.cc.
#if defined(TENFOLD_KERNELS_ELEMENTWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_ELEMENTWISE_INL_H_
#undef TENFOLD_KERNELS_ELEMENTWISE_INL_H_
#else
#define TENFOLD_KERNELS_ELEMENTWISE_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/elementwise_kernels.hpp"
#include "kernels/ops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

// Stores the first `count` lanes, 0 < count < Lanes(d), and never touches memory past them.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void StorePart(hn::Vec<D> v, D d, T* p, size_t count) {
  if constexpr (HWY_TARGET <= HWY_AVX3 || (HWY_TARGET == HWY_AVX2 && sizeof(T) >= 4))
    hn::BlendedStore(v, hn::FirstN(d, count), d, p);
  else
    StoreTail(v, d, p, count);
}

// Raw lanes of T to the lanes of D that are computed in.
template <class T, class D>
HWY_INLINE hn::Vec<D> ToLanes(D d, hn::Vec<hn::Rebind<Raw<T>, D>> raw) {
  using C = hn::TFromD<D>;
  if constexpr (std::is_same_v<T, Bool>) {
    if constexpr (std::is_same_v<C, uint8_t>) {
      return hn::Min(raw, hn::Set(d, 1));  // any byte but zero is true
    } else {
      const hn::RebindToSigned<D> di;
      const auto zero = hn::Eq(hn::PromoteTo(di, raw), hn::Zero(di));
      return hn::IfThenElse(hn::RebindMask(d, zero), hn::Zero(d), hn::Set(d, C{1}));
    }
  } else if constexpr (std::is_same_v<T, C>) {
    return raw;
  } else if constexpr (std::is_integral_v<C>) {
    return hn::PromoteTo(d, raw);
  } else {
    return Widen<T>(d, raw);
  }
}

#if HWY_TARGET > HWY_AVX2
// f32 to f16 without a conversion instruction, rounded to nearest, ties to even.
template <class D>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D>> HalfBits(D d, hn::Vec<D> v) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, v);
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 0x8000u));
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7FFFFFFFu));
  // Normal: the exponent's bias goes from 127 to 15 while 13 bits are rounded off; a carry into the
  // exponent, up to infinity, is right.
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 1u));
  const auto normal =
      hn::ShiftRight<13>(hn::Add(hn::Add(magnitude, hn::Set(du, 0xC8000FFFu)), odd));
  // Subnormal: added to 1/2, whose last bit is worth f16's smallest step, the sum is rounded there.
  const auto half = hn::Set(d, 0.5f);
  const auto subnormal =
      hn::Sub(hn::BitCast(du, hn::Add(hn::BitCast(d, magnitude), half)), hn::BitCast(du, half));
  const auto is_subnormal = hn::Lt(hn::BitCast(d, magnitude), hn::Set(d, 0x1p-14f));
  auto result = hn::IfThenElse(hn::RebindMask(du, is_subnormal), subnormal, normal);
  result = hn::Min(result, hn::Set(du, 0x7C00u));  // too large: infinity
  const auto nan = hn::RebindMask(du, hn::IsNaN(v));
  return hn::Or(hn::IfThenElse(nan, hn::Set(du, 0x7E00u), result), sign);
}
#endif

// Lanes to raw lanes of T: rounded, wrapped, or (Bool) whether not zero.
template <class T, class D>
HWY_INLINE hn::Vec<hn::Rebind<Raw<T>, D>> FromLanes(D d, hn::Vec<D> v) {
  using C = hn::TFromD<D>;
  const hn::Rebind<Raw<T>, D> dr;
  if constexpr (std::is_same_v<T, C>) {
    return v;
  } else if constexpr (std::is_same_v<T, Bool>) {
    if constexpr (std::is_same_v<C, uint8_t>)
      return v;
    else {
      const hn::RebindToSigned<D> di;
      const auto zero = hn::RebindMask(di, hn::Eq(v, hn::Zero(d)));
      return hn::DemoteTo(dr, hn::IfThenElse(zero, hn::Zero(di), hn::Set(di, 1)));
    }
  } else if constexpr (std::is_integral_v<C>) {
    if constexpr (sizeof(T) == sizeof(C))
      return hn::BitCast(dr, v);
    else  // the low bits; the conversion would saturate
      return hn::DemoteTo(dr, hn::And(v, hn::Set(d, static_cast<C>((1u << 8 * sizeof(T)) - 1))));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    const hn::RebindToUnsigned<D> du;
    const hn::RebindToSigned<D> di;
    const auto bits = hn::BitCast(du, v);  // to nearest, ties to even, on the bits
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1u));
    const auto rounded = hn::Add(hn::Add(bits, hn::Set(du, 0x7FFFu)), odd);
    const auto quiet = hn::Or(bits, hn::Set(du, 0x00400000u));
    const auto nan = hn::RebindMask(du, hn::IsNaN(v));
    const auto upper = hn::ShiftRight<16>(hn::IfThenElse(nan, quiet, rounded));
    return hn::DemoteTo(dr, hn::BitCast(di, upper));
  } else {
    static_assert(std::is_same_v<T, Float16>);
#if HWY_TARGET <= HWY_AVX2
    const hn::Rebind<hwy::float16_t, D> d16;
    return hn::BitCast(dr, hn::DemoteTo(d16, v));
#else
    return hn::DemoteTo(dr, hn::BitCast(hn::RebindToSigned<D>(), HalfBits(d, v)));
#endif
  }
}

// An operand along a row: elements side by side, or one for all.
template <class T, class D, bool kOne>
struct Operand {
  using DR = hn::Rebind<Raw<T>, D>;
  const Raw<T>* p;
  hn::Vec<D> one;

  HWY_INLINE Operand(const void* base, int64_t offset)
      : p(reinterpret_cast<const Raw<T>*>(static_cast<const std::byte*>(base) + offset)),
        one(hn::Zero(D())) {
    if constexpr (kOne) one = ToLanes<T>(D(), hn::Set(DR(), *p));
  }
  HWY_INLINE hn::Vec<D> Whole(int64_t i) const {
    return kOne ? one : ToLanes<T>(D(), hn::LoadU(DR(), p + i));
  }
  HWY_INLINE hn::Vec<D> Part(int64_t i, size_t count) const {
    return kOne ? one : ToLanes<T>(D(), LoadTail(DR(), p + i, count));
  }
};

// One row of results that `row` computes, a vector or a part of one at a time, as elements of T.
template <class T, class D, class Row>
struct Writer {
  using DR = hn::Rebind<Raw<T>, D>;
  static constexpr int64_t N = hn::MaxLanes(D());
  static constexpr int64_t kSize = sizeof(Raw<T>);

  static HWY_INLINE void Part(const Row& row, Raw<T>* c, int64_t i, int64_t count) {
    const auto some = static_cast<size_t>(count);
    StorePart(FromLanes<T>(D(), row.Part(i, some)), DR(), c + i, some);
  }
  static HWY_INLINE void Whole(const Row& row, Raw<T>* c, int64_t i) {
    hn::StoreU(FromLanes<T>(D(), row.Whole(i)), DR(), c + i);
  }

  static HWY_INLINE void Plain(const Row& row, Raw<T>* c, int64_t n) {
    int64_t i = 0;
    for (; i + 4 * N <= n; i += 4 * N) {
      Whole(row, c, i);
      Whole(row, c, i + N);
      Whole(row, c, i + 2 * N);
      Whole(row, c, i + 3 * N);
    }
    for (; i + N <= n; i += N) Whole(row, c, i);
    if (i < n) Part(row, c, i, n - i);
  }

  // Plain up to the first line and from the end of the last.
  static HWY_INLINE void Stream(const Row& row, Raw<T>* c, int64_t n) {
    constexpr int64_t kLine = 64 / kSize;
    if constexpr (N * kSize < 16) return Plain(row, c, n);  // less than the narrowest such store
    const auto past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(c) % 64);
    const int64_t head = (64 - past) % 64 / kSize, lines = (n - head) / kLine;
    if (lines <= 0 || past % kSize != 0) return Plain(row, c, n);
    int64_t i = 0;
    for (; i + N <= head; i += N) Whole(row, c, i);
    if (i < head) Part(row, c, i, head - i);
    const int64_t end = head + lines * kLine;
    for (i = head; i < end; i += N) hn::Stream(FromLanes<T>(D(), row.Whole(i)), DR(), c + i);
    for (; i + N <= n; i += N) Whole(row, c, i);
    if (i < n) Part(row, c, i, n - i);
  }

  static HWY_INLINE void Line(const Row& row, Raw<T>* c, int64_t n, bool stream) {
    if (n < N)
      Part(row, c, 0, n);
    else if (stream)
      Stream(row, c, n);
    else
      Plain(row, c, n);
  }
};

// Complex numbers along a row, as real lanes: pairs side by side, or one for all.
template <class C, class D, bool kOne>
struct ComplexOperand {
  const C* p;
  hn::Vec<D> one;

  HWY_INLINE ComplexOperand(const void* base, int64_t offset)
      : p(reinterpret_cast<const C*>(static_cast<const std::byte*>(base) + offset)),
        one(hn::Zero(D())) {
    if constexpr (kOne) one = hn::OddEven(hn::Set(D(), p[1]), hn::Set(D(), p[0]));
  }
  HWY_INLINE hn::Vec<D> Whole(int64_t i) const { return kOne ? one : hn::LoadU(D(), p + i); }
  HWY_INLINE hn::Vec<D> Part(int64_t i, size_t count) const {
    return kOne ? one : LoadTail(D(), p + i, count);
  }
};

// Products of elements of T in lanes of C; of complex numbers where kComplex, whose parts are T.
template <class T, class C, bool kComplex = false>
struct Products {
  using D = hn::ScalableTag<C>;

  static void Run(const ElementRows& r) {
    if (r.a_one && r.b_one)
      Rows<true, true>(r);
    else if (r.a_one)
      Rows<true, false>(r);
    else if (r.b_one)
      Rows<false, true>(r);
    else
      Rows<false, false>(r);
  }

 private:
  template <bool kOne>
  using Side = std::conditional_t<kComplex, ComplexOperand<C, D, kOne>, Operand<T, D, kOne>>;

  template <bool kOneA, bool kOneB>
  struct Row {
    Side<kOneA> a;
    Side<kOneB> b;
    static HWY_INLINE hn::Vec<D> Times(hn::Vec<D> x, hn::Vec<D> y) {
      if constexpr (kComplex) {
        const auto straight = hn::Mul(x, hn::DupEven(y));
        const auto cross = hn::Mul(hn::Reverse2(D(), x), hn::DupOdd(y));
        return hn::OddEven(hn::Add(straight, cross), hn::Sub(straight, cross));
      } else if constexpr (std::is_same_v<T, Bool>) {
        return hn::And(x, y);
      } else if constexpr (std::is_integral_v<C>) {
        return MulWrap(D(), x, y);
      } else {
        return hn::Mul(x, y);
      }
    }
    HWY_INLINE hn::Vec<D> Whole(int64_t i) const { return Times(a.Whole(i), b.Whole(i)); }
    HWY_INLINE hn::Vec<D> Part(int64_t i, size_t count) const {
      return Times(a.Part(i, count), b.Part(i, count));
    }
  };

  template <bool kOneA, bool kOneB>
  static HWY_INLINE void Rows(const ElementRows& r) {
    using R = Row<kOneA, kOneB>;
    constexpr int64_t kParts = kComplex ? 2 : 1;
    auto* c = static_cast<std::byte*>(r.c);
    for (int64_t i = 0; i < r.rows; ++i, c += r.c_row) {
      const R row{{r.a, i * r.a_row}, {r.b, i * r.b_row}};
      // A line must not begin within a complex number.
      const bool stream =
          r.stream && (!kComplex || reinterpret_cast<uintptr_t>(c) % (2 * sizeof(C)) == 0);
      Writer<T, D, R>::Line(row, reinterpret_cast<Raw<T>*>(c), kParts * r.n, stream);
    }
  }
};

template <class From, class To, class C>
struct Conversions {
  using D = hn::ScalableTag<C>;

  static void Run(const ElementRows& r) { r.a_one ? Rows<true>(r) : Rows<false>(r); }

 private:
  template <bool kOne>
  static HWY_INLINE void Rows(const ElementRows& r) {
    using R = Operand<From, D, kOne>;
    auto* c = static_cast<std::byte*>(r.c);
    for (int64_t i = 0; i < r.rows; ++i, c += r.c_row)
      Writer<To, D, R>::Line(R(r.a, i * r.a_row), reinterpret_cast<Raw<To>*>(c), r.n, r.stream);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
