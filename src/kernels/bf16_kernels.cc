// Sums, products and norms of bf16 elements.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bf16_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "kernels/kernel_row-inl.h"
#include "kernels/reduce_kernels.inc"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

const ReduceKernel* FindBF16Kernel(KernelOp op, DType dtype) {
  static constexpr KernelRow kRows[] = {TENFOLD_BF16_KERNELS(TENFOLD_KERNEL_ROW)};
  return FindRow(kRows, op, dtype);
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {
HWY_EXPORT(FindBF16Kernel);
const ReduceKernel* find_bf16_kernel(KernelOp op, DType dtype) {
  return HWY_DYNAMIC_DISPATCH(FindBF16Kernel)(op, dtype);
}
}  // namespace tenfold::kernels
#endif
