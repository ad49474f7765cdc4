// Products of small matrices read in place: the tables of f32, f64, i32 and i64, and what widens
// gathered 16-bit floats.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/small_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "kernels/small-inl.h"
#include "kernels/small_turned-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

template <class T>
constexpr SmallKernels KernelsOf() {
  constexpr int kTall = static_cast<int>(kMostTallBytes / sizeof(T));
  return {SmallTable<T>::kWidths, SmallTable<T>::kSquares,
          SmallTalls<T, std::make_integer_sequence<int, kTall>>::kFns, &SmallTurn<T>::Pack};
}
template <class T>
constexpr SmallKernels kKernelsOf = KernelsOf<T>();

const SmallKernels* FindSmallKernels(DType dtype) {
  if (dtype == DType::kF32) return &kKernelsOf<float>;
  if (dtype == DType::kF64) return &kKernelsOf<double>;
  if (dtype == DType::kI32) return &kKernelsOf<int32_t>;
  if (dtype == DType::kI64) return &kKernelsOf<int64_t>;
  return nullptr;
}

template <class T>
void WidenDense(const void* from, int64_t count, void* to) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<uint16_t, decltype(d)> d16;
  constexpr int64_t N = hn::MaxLanes(d);
  const auto* p = static_cast<const uint16_t*>(from);
  auto* q = static_cast<float*>(to);
  int64_t i = 0;
  for (; i + N <= count; i += N) hn::StoreU(Widen<T>(d, hn::LoadU(d16, p + i)), d, q + i);
  if (i == count) return;
  const auto rest = static_cast<size_t>(count - i);
  StoreTail(Widen<T>(d, LoadTail(d16, p + i, rest)), d, q + i, rest);
}

WidenFn FindWiden(DType dtype) {
  if (dtype == DType::kF16) return &WidenDense<Float16>;
  if (dtype == DType::kBF16) return &WidenDense<BFloat16>;
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {
HWY_EXPORT(FindSmallKernels);
const SmallKernels* find_small_kernels(DType dtype) {
  return HWY_DYNAMIC_DISPATCH(FindSmallKernels)(dtype);
}
HWY_EXPORT(FindWiden);
WidenFn find_widen(DType dtype) { return HWY_DYNAMIC_DISPATCH(FindWiden)(dtype); }
}  // namespace tenfold::kernels
#endif
