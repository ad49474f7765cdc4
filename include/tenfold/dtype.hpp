// Element types: the one list of types, the 16-bit float storage types, and the one switch over
// types. Everything that depends on a type goes through `visit_dtype` or `visit_real_dtype`;
// nowhere else is a switch over DType. Called by every other header.
#pragma once

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tenfold/export.hpp"

namespace tenfold {

// IEEE 754 binary16, stored as its bits. Arithmetic happens in float.
struct Float16 {
  std::uint16_t bits = 0;
  Float16() = default;
  TENFOLD_API explicit Float16(float value);   // rounds to nearest, ties to even
  TENFOLD_API explicit Float16(double value);  // one rounding, straight from double
  TENFOLD_API explicit operator float() const;
  static constexpr Float16 from_bits(std::uint16_t b) {
    Float16 h;
    h.bits = b;
    return h;
  }
};

// The upper half of a binary32, stored as its bits. Arithmetic happens in float.
struct BFloat16 {
  std::uint16_t bits = 0;
  BFloat16() = default;
  TENFOLD_API explicit BFloat16(float value);   // rounds to nearest, ties to even
  TENFOLD_API explicit BFloat16(double value);  // one rounding, straight from double
  explicit operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
  static constexpr BFloat16 from_bits(std::uint16_t b) {
    BFloat16 h;
    h.bits = b;
    return h;
  }
};

// One byte; zero is false and anything else is true. Tenfold writes only 0 and 1.
struct Bool {
  std::uint8_t byte = 0;
  Bool() = default;
  constexpr explicit Bool(bool value) : byte(value ? 1 : 0) {}
  constexpr explicit operator bool() const { return byte != 0; }
};

// X(enumerator, storage type, short name, NumPy name)
#define TENFOLD_REAL_DTYPES(X)                      \
  X(kF64, double, "f64", "float64")                 \
  X(kF32, float, "f32", "float32")                  \
  X(kF16, ::tenfold::Float16, "f16", "float16")     \
  X(kBF16, ::tenfold::BFloat16, "bf16", "bfloat16") \
  X(kI8, std::int8_t, "i8", "int8")                 \
  X(kI16, std::int16_t, "i16", "int16")             \
  X(kI32, std::int32_t, "i32", "int32")             \
  X(kI64, std::int64_t, "i64", "int64")             \
  X(kU8, std::uint8_t, "u8", "uint8")               \
  X(kU16, std::uint16_t, "u16", "uint16")           \
  X(kU32, std::uint32_t, "u32", "uint32")           \
  X(kU64, std::uint64_t, "u64", "uint64")           \
  X(kBool, ::tenfold::Bool, "bool", "bool")

#define TENFOLD_COMPLEX_DTYPES(X)                    \
  X(kC64, ::std::complex<float>, "c64", "complex64") \
  X(kC128, ::std::complex<double>, "c128", "complex128")

#define TENFOLD_DTYPES(X) \
  TENFOLD_REAL_DTYPES(X)  \
  TENFOLD_COMPLEX_DTYPES(X)

enum class DType : std::uint8_t {
#define X(id, type, name, numpy) id,
  TENFOLD_DTYPES(X)
#undef X
};

inline constexpr int kDTypeCount = 0
#define X(id, type, name, numpy) +1
    TENFOLD_DTYPES(X)
#undef X
    ;

// Calls f.template operator()<T>() with the storage type of `dtype` and returns what it returns.
template <class F>
decltype(auto) visit_dtype(DType dtype, F&& f) {
  switch (dtype) {
#define X(id, type, name, numpy) \
  case DType::id:                \
    return std::forward<F>(f).template operator()<type>();
    TENFOLD_DTYPES(X)
#undef X
  }
  __builtin_unreachable();
}

// The same where complex numbers have been refused before: `dtype` must be a real type.
template <class F>
decltype(auto) visit_real_dtype(DType dtype, F&& f) {
  switch (dtype) {
#define X(id, type, name, numpy) \
  case DType::id:                \
    return std::forward<F>(f).template operator()<type>();
    TENFOLD_REAL_DTYPES(X)
#undef X
    default:
      __builtin_unreachable();
  }
}

template <class T>
inline constexpr bool is_complex_type =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class T>
struct DTypeOf;
#define X(id, type, name, numpy)              \
  template <>                                 \
  struct DTypeOf<type> {                      \
    static constexpr DType value = DType::id; \
  };
TENFOLD_DTYPES(X)
#undef X
template <class T>
inline constexpr DType dtype_of = DTypeOf<std::remove_cv_t<T>>::value;

namespace detail {
struct DTypeRow {
  std::size_t size;
  std::string_view name, numpy_name;
  bool is_float, is_signed, is_complex;
};
inline constexpr DTypeRow kDTypeRows[] = {
#define X(id, type, name, numpy)                                                              \
  {sizeof(type),                                                                              \
   name,                                                                                      \
   numpy,                                                                                     \
   std::is_floating_point_v<type> || std::is_same_v<type, Float16> ||                         \
       std::is_same_v<type, BFloat16>,                                                        \
   std::is_signed_v<type> || std::is_same_v<type, Float16> || std::is_same_v<type, BFloat16>, \
   is_complex_type<type>},
    TENFOLD_DTYPES(X)
#undef X
};
}  // namespace detail

constexpr const detail::DTypeRow& row_of(DType d) {
  return detail::kDTypeRows[static_cast<int>(d)];
}
constexpr std::size_t size_of(DType d) { return row_of(d).size; }                   // bytes
constexpr std::string_view name_of(DType d) { return row_of(d).name; }              // "f32"
constexpr std::string_view numpy_name_of(DType d) { return row_of(d).numpy_name; }  // "float32"
constexpr bool is_float(DType d) { return row_of(d).is_float; }
constexpr bool is_signed(DType d) { return row_of(d).is_signed; }
constexpr bool is_complex(DType d) { return row_of(d).is_complex; }
constexpr bool is_integer(DType d) { return !is_float(d) && !is_complex(d) && d != DType::kBool; }

// Accepts the short and the NumPy name: "f32" or "float32"; nothing for any other text.
TENFOLD_API std::optional<DType> parse_dtype(std::string_view name);

// A set of types, one bit each.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  constexpr DTypeSet(std::initializer_list<DType> types) {
    for (DType d : types) bits_ |= 1u << static_cast<int>(d);
  }
  constexpr bool contains(DType d) const { return (bits_ >> static_cast<int>(d)) & 1u; }
  friend constexpr DTypeSet operator|(DTypeSet a, DTypeSet b) {
    a.bits_ |= b.bits_;
    return a;
  }
  friend constexpr bool operator==(DTypeSet, DTypeSet) = default;

 private:
  std::uint32_t bits_ = 0;
};

}  // namespace tenfold
