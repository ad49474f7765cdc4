// Finished sums of a block contraction to elements of the output: one conversion, any places.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/block_scatter.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/convert.hpp"
#include "kernels/block_kernels.hpp"
#include "kernels/keys.hpp"
#include "kernels/ops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

// A sum as an element: floats round to nearest, NaNs become one, integers wrap.
template <class T, class A>
HWY_INLINE T BlockStoredAs(A sum) {
  if constexpr (std::is_floating_point_v<A>)
    if (sum != sum) sum = std::bit_cast<A>(kNanBits<A>);
  return convert_element<T>(sum);
}

// The same for a vector of them.
template <class T, class A>
HWY_INLINE void BlockStoreSums(const A* sums, T* out) {
  const hn::ScalableTag<A> d;
  auto v = hn::LoadU(d, sums);
  if constexpr (std::is_floating_point_v<A>)
    v = hn::IfThenElse(hn::IsNaN(v), hn::Set(d, std::bit_cast<A>(kNanBits<A>)), v);
  if constexpr (std::is_same_v<T, A>) {
    hn::StoreU(v, d, out);
  } else if constexpr (std::is_same_v<T, Bool>) {
    const hn::RebindToSigned<decltype(d)> di;
    const hn::Rebind<uint8_t, decltype(d)> d8;
    const auto set = hn::VecFromMask(di, hn::RebindMask(di, hn::Ne(v, hn::Zero(d))));
    const auto ones = hn::And(set, hn::Set(di, 1));
    hn::StoreU(hn::DemoteTo(d8, ones), d8, reinterpret_cast<uint8_t*>(out));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    const hn::RebindToUnsigned<decltype(d)> du;
    const auto bits = hn::BitCast(du, v);  // to nearest, ties to even, on the bits
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1u));
    const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(du, 0x7FFFu)), odd));
    const hn::Rebind<uint16_t, decltype(d)> d16;
    hn::StoreU(hn::DemoteTo(d16, hn::BitCast(hn::RebindToSigned<decltype(d)>(), rounded)), d16,
               reinterpret_cast<uint16_t*>(out));
  } else if constexpr (std::is_same_v<T, Float16>) {
#if HWY_TARGET <= HWY_AVX2
    const hn::Rebind<hwy::float16_t, decltype(d)> d16;
    hn::StoreU(hn::DemoteTo(d16, v), d16, reinterpret_cast<hwy::float16_t*>(out));
#else  // no conversion instruction
    for (size_t i = 0; i < hn::Lanes(d); ++i) out[i] = BlockStoredAs<Float16>(sums[i]);
#endif
  } else {  // the low bits of an integer; clearing the others keeps DemoteTo from saturating
    using Narrow = std::make_unsigned_t<T>;
    const hn::Rebind<Narrow, decltype(d)> dn;
    const auto low = hn::And(v, hn::Set(d, static_cast<A>(std::numeric_limits<Narrow>::max())));
    hn::StoreU(hn::DemoteTo(dn, low), dn, reinterpret_cast<Narrow*>(out));
  }
}

template <class A, class T>
void BlockScatter(const void* sums, int64_t count, void* c, const int64_t* offsets, int64_t run) {
  constexpr int64_t N = hn::MaxLanes(hn::ScalableTag<A>());
  const A* p = static_cast<const A*>(sums);
  T* out = static_cast<T*>(c);
  int64_t i = 0;
  if (run >= N) {
    while (i < count) {
      const int64_t end = std::min(count, i + run);
      T* to = out + offsets[i];
      for (; i + N <= end; i += N, to += N) BlockStoreSums<T>(p + i, to);
      for (; i < end; ++i) *to++ = BlockStoredAs<T>(p[i]);
    }
  } else {
    for (; i < count; ++i) out[offsets[i]] = BlockStoredAs<T>(p[i]);
  }
}

template <class A>
void BlockAddSums(void* sums, const void* more, int64_t count) {
  const hn::ScalableTag<A> d;
  constexpr int64_t N = hn::MaxLanes(d);
  A* p = static_cast<A*>(sums);
  const A* q = static_cast<const A*>(more);
  int64_t i = 0;
  for (; i + N <= count; i += N)
    hn::StoreU(hn::Add(hn::LoadU(d, p + i), hn::LoadU(d, q + i)), d, p + i);
  if (i < count) {
    const auto rest = static_cast<size_t>(count - i);
    StoreTail(hn::Add(LoadTail(d, p + i, rest), LoadTail(d, q + i, rest)), d, p + i, rest);
  }
}

ScatterFn FindBlockScatter(DType output) {
  switch (output) {
    case DType::kF64:
      return &BlockScatter<double, double>;
    case DType::kF32:
      return &BlockScatter<float, float>;
    case DType::kF16:
      return &BlockScatter<float, Float16>;
    case DType::kBF16:
      return &BlockScatter<float, BFloat16>;
    case DType::kBool:
      return &BlockScatter<float, Bool>;
    case DType::kI8:
    case DType::kU8:
      return &BlockScatter<int32_t, int8_t>;
    case DType::kI16:
    case DType::kU16:
      return &BlockScatter<int32_t, int16_t>;
    case DType::kI32:
      return &BlockScatter<int32_t, int32_t>;
    case DType::kI64:
      return &BlockScatter<int64_t, int64_t>;
    default:
      return nullptr;
  }
}

AddFn FindBlockAdd(DType acc) {
  switch (acc) {
    case DType::kF64:
      return &BlockAddSums<double>;
    case DType::kF32:
      return &BlockAddSums<float>;
    case DType::kI32:
      return &BlockAddSums<int32_t>;
    case DType::kI64:
      return &BlockAddSums<int64_t>;
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {
HWY_EXPORT(FindBlockScatter);
HWY_EXPORT(FindBlockAdd);
ScatterFn find_block_scatter(DType output) {
  return HWY_DYNAMIC_DISPATCH(FindBlockScatter)(output);
}
AddFn find_block_add(DType acc) { return HWY_DYNAMIC_DISPATCH(FindBlockAdd)(acc); }
}  // namespace tenfold::kernels
#endif
