#include "tenfold/dtype.hpp"

#include <cmath>
#include <limits>

namespace tenfold {
namespace {

// Rounds a double to a binary format with `kExponentBits` and `kMantissaBits`, to nearest, ties to
// even, in one step; subnormals and overflow to infinity included. NaN becomes the canonical quiet
// NaN.
template <int kExponentBits, int kMantissaBits>
std::uint16_t round_to_bits(double value) {
  constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  constexpr std::uint16_t kInf = ((1 << kExponentBits) - 1) << kMantissaBits;
  if (std::isnan(value)) return kInf | (1 << (kMantissaBits - 1));
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | kInf;
  if (magnitude == 0) return sign;
  int exponent = std::ilogb(magnitude);
  if (exponent < 1 - kBias) exponent = 1 - kBias;  // subnormal: one fixed unit in the last place
  // In units of the last place; exact, since it only changes the exponent. nearbyint ties to even.
  const double units = std::nearbyint(std::ldexp(magnitude, kMantissaBits - exponent));
  // units in [0, 2^(mantissa+1)]; a carry into the exponent is what the addition does by itself.
  const auto bits = static_cast<std::uint32_t>(units) +
                    (static_cast<std::uint32_t>(exponent + kBias - 1) << kMantissaBits);
  return sign | static_cast<std::uint16_t>(bits >= kInf ? kInf : bits);
}

}  // namespace

Float16::Float16(float value) : Float16(static_cast<double>(value)) {}
Float16::Float16(double value) : bits(round_to_bits<5, 10>(value)) {}

Float16::operator float() const {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1F;
  const std::uint32_t mantissa = bits & 0x3FF;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000u | (mantissa << 13));
  if (exponent == 0) {  // mantissa * 2^-24, exact
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

BFloat16::BFloat16(float value) : BFloat16(static_cast<double>(value)) {}
BFloat16::BFloat16(double value) : bits(round_to_bits<8, 7>(value)) {}

std::optional<DType> parse_dtype(std::string_view name) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto& row = detail::kDTypeRows[i];
    if (name == row.name || name == row.numpy_name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

}  // namespace tenfold
