// The sets of element types of the standards' documents, by name, for the tables of operators.
// Included by operators.cpp and contractions.cpp.
#pragma once

#include "tenfold/dtype.hpp"

namespace tenfold {

// kHigh is ONNX's "high-precision numeric".
inline constexpr DTypeSet kHigh = {DType::kU32, DType::kU64, DType::kI32, DType::kI64,
                                   DType::kF16, DType::kF32, DType::kF64};
inline constexpr DTypeSet kHigh8 = kHigh | DTypeSet{DType::kI8, DType::kU8};
inline constexpr DTypeSet kSmall = {DType::kI8, DType::kI16, DType::kU8, DType::kU16};
inline constexpr DTypeSet kBf16 = {DType::kBF16};
inline constexpr DTypeSet kTruth = {DType::kBool};
inline constexpr DTypeSet kIeee = {DType::kF16, DType::kF32, DType::kF64};
inline constexpr DTypeSet kFloats = kIeee | kBf16;
inline constexpr DTypeSet kNumeric = kHigh | kSmall | kBf16;
inline constexpr DTypeSet kComplex = {DType::kC64, DType::kC128};

}  // namespace tenfold
