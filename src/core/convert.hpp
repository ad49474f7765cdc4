// Element conversion between types, one strided run at a time.
// Called where a plan packs a block, by Cast nodes and by the readers' users.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tenfold/dtype.hpp"

namespace tenfold {

// docs/semantics.md, "Cast": float to integer truncates toward zero, saturates, and takes NaN to 0;
// integer to a narrower integer wraps; to bool, anything but zero (NaN too) is true; to a float,
// one rounding; to a complex number, each part by itself, with an imaginary part of +0 for a real
// number. There is no conversion from a complex number to a real one.
template <class To, class From>
To convert_element(From value) {
  static_assert(is_complex_type<To> || !is_complex_type<From>, "would lose the imaginary part");
  constexpr bool kHalfFrom = std::is_same_v<From, Float16> || std::is_same_v<From, BFloat16>;
  constexpr bool kHalfTo = std::is_same_v<To, Float16> || std::is_same_v<To, BFloat16>;
  if constexpr (std::is_same_v<To, From> && !std::is_same_v<To, Bool>) {
    return value;
  } else if constexpr (is_complex_type<From>) {
    using Part = typename To::value_type;
    return To(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
  } else if constexpr (is_complex_type<To>) {
    return To(convert_element<typename To::value_type>(value));
  } else if constexpr (std::is_same_v<From, Bool>) {
    return convert_element<To>(static_cast<std::int32_t>(static_cast<bool>(value)));
  } else if constexpr (kHalfFrom) {
    return convert_element<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, Bool>) {
    return Bool(value != From{});
  } else if constexpr (kHalfTo) {
    if constexpr (std::is_integral_v<From> && sizeof(From) == 8) {
      // A double does not hold every 64-bit integer; rounding to odd first keeps the second
      // rounding right.
      auto d = static_cast<double>(value);
      if (static_cast<long double>(d) != static_cast<long double>(value)) {
        const bool away =
            std::fabs(static_cast<long double>(d)) > std::fabs(static_cast<long double>(value));
        const double towards_zero = away ? std::nextafter(d, 0.0) : d;
        const auto bits = std::bit_cast<std::uint64_t>(towards_zero) | 1;
        d = std::bit_cast<double>(bits);
      }
      return To(d);
    } else {
      return To(static_cast<double>(value));
    }
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    using Limits = std::numeric_limits<To>;
    if (std::isnan(value)) return 0;
    // The bounds are powers of two (or 0), exact in any floating-point type.
    if (value < static_cast<From>(Limits::min())) return Limits::min();
    if (value >= std::ldexp(From{1}, Limits::digits)) return Limits::max();
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

// dst[i] = convert(src[i * src_stride]), 0 <= i < count; strides in elements, dst dense.
// nullptr from a complex to a real type: callers refuse it.
using ConvertFn = void (*)(const void* src, std::int64_t src_stride, std::int64_t count, void* dst);
ConvertFn find_convert(DType from, DType to);

}  // namespace tenfold
