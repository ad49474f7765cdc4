// From states to output elements: divide, root, logarithm, convert, key back to element.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/finish.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include <cmath>
#include <limits>

#include "kernels/keys.hpp"
#include "kernels/ops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

// ---- floating-point states, vectorised: a post step in the state type, then one rounding

struct Copy {
  template <class D>
  static HWY_INLINE hn::Vec<D> Post(D, hn::Vec<D> v, hn::Vec<D>) {
    return v;
  }
  template <class T, class D>
  static HWY_INLINE bool Suspect(D, hn::Vec<D>, hn::Vec<D>) {
    return false;
  }
};
struct Divide {
  template <class D>
  static HWY_INLINE hn::Vec<D> Post(D, hn::Vec<D> v, hn::Vec<D> count) {
    return hn::Div(v, count);
  }
  template <class T, class D>
  static HWY_INLINE bool Suspect(D d, hn::Vec<D>, hn::Vec<D> result) {
    return !hn::AllTrue(d, hn::IsFinite(result));
  }
};
struct Root {
  template <class D>
  static HWY_INLINE hn::Vec<D> Post(D, hn::Vec<D> v, hn::Vec<D>) {
    return hn::Sqrt(v);
  }
  // Squares of f64 leave its range; those of narrower elements do not leave the range of their
  // state.
  template <class T, class D>
  static HWY_INLINE bool Suspect(D d, hn::Vec<D> state, hn::Vec<D>) {
    if constexpr (!std::is_same_v<T, double>) return false;
    using A = hn::TFromD<D>;
    const auto fine = hn::And(hn::Ge(state, hn::Set(d, static_cast<A>(0x1p-960))),
                              hn::Le(state, hn::Set(d, std::numeric_limits<A>::max())));
    return !hn::AllTrue(d, fine);
  }
};

// An extreme that is zero may have the wrong sign.
struct Extreme {
  template <class D>
  static HWY_INLINE hn::Vec<D> Post(D, hn::Vec<D> v, hn::Vec<D>) {
    return v;
  }
  template <class T, class D>
  static HWY_INLINE bool Suspect(D d, hn::Vec<D>, hn::Vec<D> result) {
    return !hn::AllFalse(d, hn::Eq(result, hn::Zero(d)));
  }
};

// Rounds to T and stores; NaN becomes the canonical quiet NaN.
template <class T, class D>
HWY_INLINE void StoreAs(D d, hn::Vec<D> v, T* out) {
  using A = hn::TFromD<D>;
  v = hn::IfThenElse(hn::IsNaN(v), hn::Set(d, std::bit_cast<A>(kNanBits<A>)), v);
  if constexpr (std::is_same_v<T, A>) {
    hn::StoreU(v, d, out);
  } else if constexpr (std::is_same_v<A, double>) {
    const hn::Rebind<float, D> df;
    StoreAs<T>(df, hn::DemoteTo(df, v), out);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    const hn::RebindToUnsigned<D> du;
    const auto bits = hn::BitCast(du, v);  // to nearest, ties to even, on the bits
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1u));
    const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(du, 0x7FFFu)), odd));
    const hn::Rebind<uint16_t, D> d16;
    hn::StoreU(hn::DemoteTo(d16, hn::BitCast(hn::RebindToSigned<D>(), rounded)), d16,
               reinterpret_cast<uint16_t*>(out));
  } else {
    static_assert(std::is_same_v<T, Float16>);
#if HWY_TARGET <= HWY_AVX2
    const hn::Rebind<hwy::float16_t, D> d16;
    hn::StoreU(hn::DemoteTo(d16, v), d16, reinterpret_cast<hwy::float16_t*>(out));
#else  // no conversion instruction
    HWY_ALIGN float lanes[hn::MaxLanes(d)];
    hn::Store(v, d, lanes);
    for (size_t i = 0; i < hn::Lanes(d); ++i) out[i] = Float16(lanes[i]);
#endif
  }
}

template <class Step, class A, class T>
bool FinishFloat(const void* states, int64_t n, void* out, const FinishArgs& args) {
  const hn::ScalableTag<A> d;
  constexpr int64_t N = hn::MaxLanes(d);
  const auto count = hn::Set(d, static_cast<A>(args.count));
  const A* p = static_cast<const A*>(states);
  T* q = static_cast<T*>(out);
  bool suspect = false;
  int64_t i = 0;
  for (; i + N <= n; i += N) {
    const auto state = hn::LoadU(d, p + i);
    const auto result = Step::Post(d, state, count);
    suspect |= Step::template Suspect<T>(d, state, result);
    StoreAs<T>(d, result, q + i);
  }
  if (i < n) {
    const auto rest = static_cast<size_t>(n - i);
    HWY_ALIGN T lanes[N];
    // Absent lanes repeat a real one, so that they raise no suspicion of their own.
    const auto state =
        hn::IfThenElse(hn::FirstN(d, rest), LoadTail(d, p + i, rest), hn::Set(d, p[i]));
    const auto result = Step::Post(d, state, count);
    suspect |= Step::template Suspect<T>(d, state, result);
    StoreAs<T>(d, result, lanes);
    std::memcpy(q + i, lanes, rest * sizeof(T));
  }
  return !suspect;
}

template <class A, class T>
FinishFn FloatFinish(Finish finish) {
  switch (finish) {
    case Finish::kCopy:
      return &FinishFloat<Copy, A, T>;
    case Finish::kMean:
      return &FinishFloat<Divide, A, T>;
    case Finish::kSqrt:
      return &FinishFloat<Root, A, T>;
    case Finish::kExtreme:
      if constexpr (std::is_same_v<A, T>) return &FinishFloat<Extreme, A, T>;
      return nullptr;
    default:
      return nullptr;
  }
}

FinishFn FindFloatFinish(Finish finish, DType state, DType output) {
  if (state == DType::kF64) {
    if (output == DType::kF64) return FloatFinish<double, double>(finish);
    if (output == DType::kF32) return FloatFinish<double, float>(finish);
    if (output == DType::kBF16) return FloatFinish<double, BFloat16>(finish);
  } else if (state == DType::kF32) {
    if (output == DType::kF32) return FloatFinish<float, float>(finish);
    if (output == DType::kF16) return FloatFinish<float, Float16>(finish);
    if (output == DType::kBF16) return FloatFinish<float, BFloat16>(finish);
  }
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {
HWY_EXPORT(FindFloatFinish);
FinishFn find_float_finish(Finish finish, DType state, DType output) {
  return HWY_DYNAMIC_DISPATCH(FindFloatFinish)(finish, state, output);
}
}  // namespace tenfold::kernels
#endif
