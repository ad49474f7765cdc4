// Order-preserving integer keys of elements, one at a time: the scalar twin of MaxKeyOp in
// ops-inl.h. Used by the LogSumExp, arg and finish kernels.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tenfold/dtype.hpp"

namespace tenfold::kernels {

template <class T>
using KeyOf = std::conditional_t<
    sizeof(T) == 8, std::int64_t,
    std::conditional_t<sizeof(T) == 4, std::int32_t,
                       std::conditional_t<sizeof(T) == 2, std::int16_t, std::int8_t>>>;

template <class T>
inline constexpr bool kIsFloat =
    std::is_floating_point_v<T> || std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

// The bits of +infinity and of the canonical quiet NaN.
template <class T>
inline constexpr KeyOf<T> kInfinityBits = std::is_same_v<T, double>  ? KeyOf<T>(0x7FF0000000000000)
                                          : std::is_same_v<T, float> ? KeyOf<T>(0x7F800000)
                                          : std::is_same_v<T, Float16> ? KeyOf<T>(0x7C00)
                                                                       : KeyOf<T>(0x7F80);
template <class T>
inline constexpr KeyOf<T> kNanBits = std::is_same_v<T, double>    ? KeyOf<T>(0x7FF8000000000000)
                                     : std::is_same_v<T, float>   ? KeyOf<T>(0x7FC00000)
                                     : std::is_same_v<T, Float16> ? KeyOf<T>(0x7E00)
                                                                  : KeyOf<T>(0x7FC0);

// Arithmetic on keys wraps; C++ says so only for unsigned integers.
template <class K>
constexpr K wrap_add(K a, K b) {
  using U = std::make_unsigned_t<K>;
  return static_cast<K>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
}

// -inf (or +inf under flip) becomes the least key; NaNs become the greatest ones.
template <class T>
constexpr KeyOf<T> key_offset_of() {
  using K = KeyOf<T>;
  if constexpr (!kIsFloat<T>)
    return 0;
  else
    return wrap_add<K>(std::numeric_limits<K>::min(), wrap_add<K>(kInfinityBits<T>, 1));
}
// The key of the infinity that wins; every greater key is a NaN.
template <class T>
constexpr KeyOf<T> top_key_of() {
  return wrap_add<KeyOf<T>>(kInfinityBits<T>, key_offset_of<T>());
}

template <class T>
KeyOf<T> key_of_element(T value, std::int64_t flip, std::int64_t offset) {
  using K = KeyOf<T>;
  K k = std::bit_cast<K>(value);
  if (kIsFloat<T> && k < 0) k ^= std::numeric_limits<K>::max();
  return wrap_add<K>(static_cast<K>(k ^ static_cast<K>(flip)), static_cast<K>(offset));
}

// The element of a key; any NaN comes back as the canonical quiet NaN.
template <class T>
T element_of_key(KeyOf<T> key, std::int64_t flip, std::int64_t offset) {
  using K = KeyOf<T>;
  if constexpr (kIsFloat<T>) {
    if (key > top_key_of<T>()) return std::bit_cast<T>(kNanBits<T>);
    const auto k =
        static_cast<K>(wrap_add<K>(key, static_cast<K>(-static_cast<std::uint64_t>(offset))) ^
                       static_cast<K>(flip));
    return std::bit_cast<T>(static_cast<K>(k < 0 ? k ^ std::numeric_limits<K>::max() : k));
  } else {
    return std::bit_cast<T>(static_cast<K>(key ^ static_cast<K>(flip)));
  }
}

// Keys that ArgMax and ArgMin may compare: -0 ties with +0, and all NaNs tie.
template <class T>
constexpr KeyOf<T> canonical_key(KeyOf<T> key, std::int64_t offset) {
  using K = KeyOf<T>;
  if constexpr (kIsFloat<T>) {
    const K zero = static_cast<K>(offset);  // keys of the two zeros: zero - 1 and zero
    if (wrap_add<K>(key, 1) == zero) return zero;
    const K nan = wrap_add<K>(top_key_of<T>(), 1);
    return key > nan ? nan : key;
  } else {
    return key;
  }
}

}  // namespace tenfold::kernels
