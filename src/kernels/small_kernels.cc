// Products of small matrices read in place: the tables of f32, f64, i32 and i64.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/small_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "kernels/small-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

const SmallKernels* FindSmallKernels(DType dtype) {
  if (dtype == DType::kF32) return &SmallTable<float>::kKernels;
  if (dtype == DType::kF64) return &SmallTable<double>::kKernels;
  if (dtype == DType::kI32) return &SmallTable<int32_t>::kKernels;
  if (dtype == DType::kI64) return &SmallTable<int64_t>::kKernels;
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
}  // namespace tenfold::kernels
#endif
