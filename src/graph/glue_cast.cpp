#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "graph/elementwise.hpp"
#include "graph/glue.hpp"

namespace tenfold::graph {
namespace {

template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
template <class T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T> || kIsHalf<T>;

// The integer as a double whose last bit says whether anything was cut off, so that rounding it
// once more to 16 bits gives what one rounding would have given.
template <class T>
double sticky_double(T value) {
  if constexpr (sizeof(T) < 8) {
    return static_cast<double>(value);
  } else {
    const bool negative = value < 0;
    std::uint64_t magnitude = static_cast<std::uint64_t>(value);
    if (negative) magnitude = 0 - magnitude;
    constexpr int kSpare = 11;  // 64 bits against the 53 of a double
    if (magnitude >> (64 - kSpare)) {
      const bool lost = (magnitude & ((1u << kSpare) - 1)) != 0;
      magnitude = (magnitude >> kSpare | (lost ? 1 : 0)) << kSpare;
    }
    const auto d = static_cast<double>(magnitude);
    return negative ? -d : d;
  }
}

template <class To, class From>
To float_to_integer(From value) {
  using Limits = std::numeric_limits<To>;
  if (std::isnan(value)) return 0;
  const From whole = std::trunc(value);
  // 2^digits is exact in every floating-point type here; the largest integer itself may not be.
  const From limit = std::ldexp(From{1}, Limits::digits);
  if (whole >= limit) return Limits::max();
  if (whole < (std::is_signed_v<To> ? -limit : From{0})) return Limits::min();
  return static_cast<To>(whole);
}

template <class To, class From>
To convert_element(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<From, Bool>) {
    return convert_element<To>(static_cast<std::uint8_t>(static_cast<bool>(value) ? 1 : 0));
  } else if constexpr (kIsHalf<From>) {
    return convert_element<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, Bool>) {
    return Bool(value != 0);  // true for NaN
  } else if constexpr (kIsHalf<To>) {
    if constexpr (std::is_integral_v<From>)
      return To(sticky_double(value));
    else
      return To(value);
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    return float_to_integer<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace

Held converted(const TensorView& x, DType dtype, const RunOptions& options) {
  return visit_dtype(x.dtype, [&]<class From>() {
    return visit_dtype(dtype, [&]<class To>() {
      return map_elements<From, To>(x, options, [](From v) { return convert_element<To>(v); });
    });
  });
}

Held run_cast(const GlueCall& call) {
  const bool onnx = call.row.dialect == Dialect::kOnnx;
  const DType to = *find_attribute<DType>(call.node, onnx ? "to" : "destination_type");
  if (!call.row.types.contains(to))
    call.fail(ErrorCode::kTypeNotAllowed, "type not allowed", "a type that this version casts to",
              std::string(numpy_name_of(to)));
  return to == call.view(0).dtype ? call.input(0) : converted(call.view(0), to, call.options);
}

Held run_cast_like(const GlueCall& call) {
  const DType to = call.view(1).dtype;
  return to == call.view(0).dtype ? call.input(0) : converted(call.view(0), to, call.options);
}

}  // namespace tenfold::graph
