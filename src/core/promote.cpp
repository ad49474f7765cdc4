#include "core/promote.hpp"

#include <algorithm>

namespace tenfold {
namespace {

// The float type that holds every value of `d`, as NumPy sees it (64-bit integers go to f64).
DType float_of(DType d) {
  if (is_float(d)) return d;
  switch (size_of(d)) {
    case 1:
      return DType::kF16;
    case 2:
      return DType::kF32;
    default:
      return DType::kF64;
  }
}

DType promote_floats(DType a, DType b) {
  if (a == b) return a;
  if (size_of(a) != size_of(b)) return size_of(a) > size_of(b) ? a : b;
  return DType::kF32;  // f16 with bf16
}

DType promote_integers(DType a, DType b) {
  if (is_signed(a) == is_signed(b)) return size_of(a) >= size_of(b) ? a : b;
  const DType s = is_signed(a) ? a : b, u = is_signed(a) ? b : a;
  if (size_of(s) > size_of(u)) return s;
  switch (size_of(u)) {
    case 1:
      return DType::kI16;
    case 2:
      return DType::kI32;
    case 4:
      return DType::kI64;
    default:
      return DType::kF64;
  }
}

DType real_of(DType d) {
  if (!is_complex(d)) return d;
  return d == DType::kC64 ? DType::kF32 : DType::kF64;
}

}  // namespace

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (is_complex(a) || is_complex(b)) {
    const DType real = promote(real_of(a), real_of(b));
    // An integer of 32 bits or more beside complex64 needs f64, as beside f32.
    return size_of(real) > 4 || !is_float(real) ? DType::kC128 : DType::kC64;
  }
  if (a == DType::kBool) return b;
  if (b == DType::kBool) return a;
  if (is_integer(a) && is_integer(b)) return promote_integers(a, b);
  // bf16 takes 8-bit integers in as f16 does.
  const bool small = (a == DType::kBF16 && is_integer(b) && size_of(b) == 1) ||
                     (b == DType::kBF16 && is_integer(a) && size_of(a) == 1);
  if (small) return DType::kBF16;
  return promote_floats(float_of(a), float_of(b));
}

}  // namespace tenfold
