// Sums, products and norms of f32 elements.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/f32_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "kernels/kernel_row-inl.h"
#include "kernels/reduce_kernels.inc"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

const ReduceKernel* FindF32Kernel(KernelOp op, DType dtype) {
  static constexpr KernelRow kRows[] = {TENFOLD_F32_KERNELS(TENFOLD_KERNEL_ROW)};
  return FindRow(kRows, op, dtype);
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {
HWY_EXPORT(FindF32Kernel);
const ReduceKernel* find_f32_kernel(KernelOp op, DType dtype) {
  return HWY_DYNAMIC_DISPATCH(FindF32Kernel)(op, dtype);
}
}  // namespace tenfold::kernels
#endif
