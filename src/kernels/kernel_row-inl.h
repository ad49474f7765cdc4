// Makes table rows of ops: TENFOLD_KERNEL_ROW turns a line of reduce_kernels.inc into a
// ReduceKernel. Per-target: included by the kernel files.
#if defined(TENFOLD_KERNELS_KERNEL_ROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_KERNEL_ROW_INL_H_
#undef TENFOLD_KERNELS_KERNEL_ROW_INL_H_
#else
#define TENFOLD_KERNELS_KERNEL_ROW_INL_H_
#endif

#include <span>

#include "kernels/inner-inl.h"
#include "kernels/outer-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

// Row accumulators (16), a bias for flat rows (16), and a subtree for each level of the tree.
template <class A>
size_t ScratchBytes(int64_t n, int64_t columns) {
  int levels = 1;
  for (int64_t leaves = n / kLeaf; leaves > 0; leaves /= 2) ++levels;
  const int64_t rows = (columns < 512 ? 32 : 16) + levels;
  return static_cast<size_t>(rows * columns) * sizeof(A);
}

template <class Op>
constexpr ReduceKernel KernelOf(const char* name) {
  using A = typename Op::State;
  return {name, sizeof(A), kLeaf,
          // 16 row accumulators of a piece of columns take 256 KB of the L2 cache.
          static_cast<int64_t>(16384 / sizeof(A)), &ScratchBytes<A>, &Inner<Op>::Run,
          &Outer<Op>::Run, &Outer<Op>::Merge};
}

struct KernelRow {
  KernelOp op;
  DType dtype;
  ReduceKernel kernel;
};
#define TENFOLD_STRIP_PARENS(...) __VA_ARGS__
#define TENFOLD_KERNEL_ROW(op, dtype, type) \
  {KernelOp::op, DType::dtype, KernelOf<TENFOLD_STRIP_PARENS type>(#type)},

inline const ReduceKernel* FindRow(std::span<const KernelRow> rows, KernelOp op, DType dtype) {
  for (const KernelRow& row : rows)
    if (row.op == op && row.dtype == dtype) return &row.kernel;
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
