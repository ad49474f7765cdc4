#include "reduce/ops.hpp"

#include <limits>

#include "core/convert.hpp"
#include "kernels/keys.hpp"

namespace tenfold {
namespace {

using kernels::Finish;
using kernels::KernelOp;

// Sums of half types are kept in float.
DType sum_state(DType t) { return size_of(t) == 2 && is_float(t) ? DType::kF32 : t; }

// Squares for L2: f16 squares fit float; those of f32 and bf16 need the range of double.
DType norm_state(DType t) { return t == DType::kF16 ? DType::kF32 : DType::kF64; }

OpRow float_row(ReduceOp op, DType t) {
  const DType sum = sum_state(t), norm = norm_state(t);
  // clang-format off
  switch (op) {
    case ReduceOp::kSum:       return {KernelOp::kSum,        Finish::kCopy, t, sum, t, false, true};
    case ReduceOp::kMean:      return {KernelOp::kSum,        Finish::kMean, t, sum, t, false, true};
    case ReduceOp::kProd:      return {KernelOp::kProd,       Finish::kCopy, t, sum, t, false, true};
    case ReduceOp::kL1:        return {KernelOp::kSumAbs,     Finish::kCopy, t, sum, t, false, true};
    case ReduceOp::kSumSquare: return {KernelOp::kSumSquare,  Finish::kCopy, t, sum, t, false, true};
    case ReduceOp::kL2:        return {KernelOp::kNormSquare, Finish::kSqrt, t, norm, t, false, true};
    case ReduceOp::kLogSum:    return {KernelOp::kSum,        Finish::kLog,  t, sum, t, false, true};
    case ReduceOp::kLogSumExp: return {KernelOp::kLogSumExp,  Finish::kLogSumExp, t, sum, t, false, true};
    case ReduceOp::kMax:       return {KernelOp::kMax,        Finish::kExtreme, t, t, t, false};
    default:                   return {KernelOp::kMin,        Finish::kExtreme, t, t, t, true};
  }
  // clang-format on
}

OpRow integer_row(ReduceOp op, DType t) {
  constexpr DType kF64 = DType::kF64;
  // clang-format off
  switch (op) {
    case ReduceOp::kSum:       return {KernelOp::kSum,        Finish::kCopy,     t, t, t};
    case ReduceOp::kMean:      return {KernelOp::kWideSum,    Finish::kWideMean, t, t, t};
    case ReduceOp::kProd:      return {KernelOp::kProd,       Finish::kCopy,     t, t, t};
    case ReduceOp::kL1:        return {KernelOp::kSumAbs,     Finish::kCopy,     t, t, t};
    case ReduceOp::kSumSquare: return {KernelOp::kSumSquare,  Finish::kCopy,     t, t, t};
    case ReduceOp::kL2:        return {KernelOp::kWideSquare, Finish::kWideSqrt, t, t, t};
    // Logarithms of integers (ONNX before opset 28) are taken in f64 and truncated.
    case ReduceOp::kLogSum:    return {KernelOp::kSum,        Finish::kLog,       kF64, kF64, t, false, true};
    case ReduceOp::kLogSumExp: return {KernelOp::kLogSumExp,  Finish::kLogSumExp, kF64, kF64, t, false, true};
    default:                   return {KernelOp::kMaxKey,     Finish::kKey,       t, t, t};
  }
  // clang-format on
}

}  // namespace

std::optional<OpRow> op_row(ReduceOp op, DType t) {
  constexpr DType kBool = DType::kBool;
  if (is_complex(t)) return std::nullopt;
  switch (op) {
    case ReduceOp::kArgMax:
    case ReduceOp::kArgMin:
      return OpRow{KernelOp::kArg, Finish::kArg, t, t, DType::kI64, op == ReduceOp::kArgMin};
    case ReduceOp::kAll:
    case ReduceOp::kAny:  // of truth values, whatever the type of the elements
      return OpRow{KernelOp::kMaxKey, Finish::kKey, kBool, kBool, kBool, op == ReduceOp::kAll};
    case ReduceOp::kMax:
    case ReduceOp::kMin:
      // f32 and f64 compare as they are; the half types compare as integer keys, twice as many at a
      // time.
      if (is_float(t) && size_of(t) >= 4) return float_row(op, t);
      return OpRow{KernelOp::kMaxKey, Finish::kKey, t, t, t, op == ReduceOp::kMin};
    default:
      if (t == kBool) return std::nullopt;
      return is_float(t) ? float_row(op, t) : integer_row(op, t);
  }
}

namespace {

template <class T>
T extreme(bool lowest) {
  if constexpr (std::is_same_v<T, Bool>)
    return Bool(!lowest);
  else if constexpr (kernels::kIsFloat<T>) {
    constexpr auto kInf = std::numeric_limits<double>::infinity();
    return convert_element<T>(lowest ? -kInf : kInf);
  } else {
    return lowest ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  }
}

template <class T>
T empty_value(ReduceOp op) {
  switch (op) {
    case ReduceOp::kMax:
    case ReduceOp::kAny:
      return extreme<T>(true);
    case ReduceOp::kMin:
    case ReduceOp::kAll:
      return extreme<T>(false);
    case ReduceOp::kProd:
      return convert_element<T>(1.0);
    case ReduceOp::kMean:
      if constexpr (kernels::kIsFloat<T>)
        return std::bit_cast<T>(kernels::kNanBits<T>);
      else
        return T{};
    case ReduceOp::kLogSum:
    case ReduceOp::kLogSumExp:  // ln 0; for integers undefined, and the lowest value is the nearest
      return extreme<T>(true);
    default:
      return T{};
  }
}

}  // namespace

void write_empty_value(ReduceOp op, DType output, void* out) {
  visit_real_dtype(output, [&]<class T>() { *static_cast<T*>(out) = empty_value<T>(op); });
}

}  // namespace tenfold
