// The common assumptions behind PairKind::cost: one thread of a current x86 core. Ratios matter,
// not the absolute values. Included by the kernels' planning files.
#pragma once

#include <cstdint>

#include "einsum/pair.hpp"

namespace tenfold::einsum_detail {

inline constexpr double kMemoryBytesPerNs = 20;  // streaming, far larger than the caches
inline constexpr double kCacheBytesPerNs = 100;  // in L2
inline constexpr double kVectorOpsPerNs = 4;     // full-width operations on registers or L1
inline constexpr double kScalarOpsPerNs = 1;     // a strided element: load, convert, store
inline constexpr double kCallNs = 10;            // reaching a kernel
inline constexpr std::int64_t kCacheBytes = 1 << 20;

// Lanes of a vector of the accumulator type.
inline double lanes_of(DType acc) { return 64.0 / static_cast<double>(size_of(acc)); }
// Time to stream so many bytes once.
inline double stream_ns(double bytes) {
  return bytes / (bytes > kCacheBytes ? kMemoryBytesPerNs : kCacheBytesPerNs);
}

// What kernels of products should at least claim: where nothing is summed and the operands are not
// tiny, every element is memory traffic, and the kernels made for that ("multiply") move it
// fastest.
inline double product_floor_ns(const Pair& pair) {
  constexpr double kFew = 2048;  // products that the caches and the call hide
  const double terms = pair_terms(pair);
  return pair.k.empty() && terms > kFew ? 4 * terms : 0;
}

}  // namespace tenfold::einsum_detail
