// Elements of any real type as f64, for comparisons and messages. Used by check.cpp, einsum.cpp and
// the tests of accuracy.
#pragma once

#include <type_traits>

#include "tenfold/dtype.hpp"

namespace tenfold::testing {

inline constexpr int kShown = 3;  // wrong elements listed in a message

template <class T>
double as_double(T x) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
    return static_cast<float>(x);
  else if constexpr (std::is_same_v<T, Bool>)
    return bool(x);
  else
    return static_cast<double>(x);
}

}  // namespace tenfold::testing
