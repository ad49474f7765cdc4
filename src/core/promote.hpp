// The type that two types meet in, by NumPy's rules for arrays (NEP 50; bfloat16 as ml_dtypes).
// Called where operands of different types are allowed.
#pragma once

#include "tenfold/dtype.hpp"

namespace tenfold {

// The smallest type that holds both: bool < integers < floats < complex; i64 with u64 is f64, i32
// with f32 is f64, f16 with bf16 is f32.
DType promote(DType a, DType b);

}  // namespace tenfold
