// What the fuzz targets share: a property that must hold, and reading that may only fail with an
// Error. Included by the fuzz_*.cpp files, one program each, run by scripts/fuzz.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "tenfold/error.hpp"
#include "tenfold/io.hpp"

// Stops the fuzzer, which keeps the input, with the place and the words of what did not hold.
#define TENFOLD_PROPERTY(condition)                                                       \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)

namespace tenfold::fuzz {

inline io::Bytes bytes_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const std::byte*>(data), size};
}

// What f returns, or nothing when it throws an Error. Any other exception ends the program. The
// mistake of a file is never the caller's, and memory is never asked for in vain.
template <class F>
auto accepted(F&& f) -> std::optional<decltype(f())> {
  try {
    return f();
  } catch (const Error& e) {
    TENFOLD_PROPERTY(e.code() != ErrorCode::kOutOfMemory);
    TENFOLD_PROPERTY(e.code() != ErrorCode::kNullData);
    TENFOLD_PROPERTY(!e.where().empty() && *e.what() != '\0');
    return std::nullopt;
  }
}

inline bool same(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         (a.bytes() == 0 ||
          std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())) == 0);
}

}  // namespace tenfold::fuzz
