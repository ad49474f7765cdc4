#include "kernels/reduce_kernels.hpp"

#include "kernels/keys.hpp"

namespace tenfold::kernels {

const ReduceKernel* find_f64_kernel(KernelOp op, DType dtype);
const ReduceKernel* find_f32_kernel(KernelOp op, DType dtype);
const ReduceKernel* find_f16_kernel(KernelOp op, DType dtype);
const ReduceKernel* find_bf16_kernel(KernelOp op, DType dtype);
const ReduceKernel* find_integer_kernel(KernelOp op, DType dtype);
const ReduceKernel* find_key_kernel(KernelOp op, DType dtype);
const ReduceKernel* find_wide_kernel(KernelOp op, DType dtype);
const ReduceKernel* find_logsumexp_kernel(KernelOp op, DType dtype);
const ReduceKernel* find_arg_kernel(KernelOp op, DType dtype);

namespace {

// Kernels that look at bits alone are listed once for each width, under the signed type.
DType same_bits(DType dtype) {
  switch (is_integer(dtype) ? size_of(dtype) : 0) {
    case 1:
      return DType::kI8;
    case 2:
      return DType::kI16;
    case 4:
      return DType::kI32;
    case 8:
      return DType::kI64;
    default:
      return dtype;
  }
}

}  // namespace

const ReduceKernel* find_kernel(KernelOp op, DType dtype) {
  switch (op) {
    case KernelOp::kWideSum:
    case KernelOp::kWideSquare:
      return find_wide_kernel(op, dtype);
    case KernelOp::kLogSumExp:
      return find_logsumexp_kernel(op, dtype);
    case KernelOp::kArg:
      return find_arg_kernel(op, same_bits(dtype));
    case KernelOp::kMaxKey:  // the order of 16-bit floats is that of their bits, whatever the
                             // format
      return find_key_kernel(op, dtype == DType::kBF16 ? DType::kF16 : same_bits(dtype));
    case KernelOp::kSumAbs:
      if (is_integer(dtype) && !is_signed(dtype)) op = KernelOp::kSum;
      break;
    default:
      break;
  }
  switch (dtype) {
    case DType::kF64:
      return find_f64_kernel(op, dtype);
    case DType::kF32:
      return find_f32_kernel(op, dtype);
    case DType::kF16:
      return find_f16_kernel(op, dtype);
    case DType::kBF16:
      return find_bf16_kernel(op, dtype);
    default:
      return find_integer_kernel(op, same_bits(dtype));
  }
}

std::int64_t key_offset(DType dtype) {
  return visit_real_dtype(dtype,
                          []<class T>() { return static_cast<std::int64_t>(key_offset_of<T>()); });
}

std::int64_t key_flip(DType dtype, bool minimum) {
  return visit_real_dtype(dtype, [&]<class T>() {
    std::int64_t flip = minimum ? -1 : 0;
    if constexpr (std::is_unsigned_v<T>) flip ^= std::numeric_limits<KeyOf<T>>::min();
    return flip;
  });
}

}  // namespace tenfold::kernels
