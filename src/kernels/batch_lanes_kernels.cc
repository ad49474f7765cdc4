// Many products side by side, one to a lane: the tables of f32, f64, i32 and i64.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/batch_lanes_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "kernels/batch_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

const BatchLanesKernels* FindBatchLanesKernels(DType dtype) {
  if (dtype == DType::kF32) return &BatchLanesTable<float>::kKernels;
  if (dtype == DType::kF64) return &BatchLanesTable<double>::kKernels;
  if (dtype == DType::kI32) return &BatchLanesTable<int32_t>::kKernels;
  if (dtype == DType::kI64) return &BatchLanesTable<int64_t>::kKernels;
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {
HWY_EXPORT(FindBatchLanesKernels);
const BatchLanesKernels* find_batch_lanes_kernels(DType dtype) {
  return HWY_DYNAMIC_DISPATCH(FindBatchLanesKernels)(dtype);
}
}  // namespace tenfold::kernels
#endif
