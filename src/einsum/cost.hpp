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
// Time of so many bytes that come or go once, by the level that holds them all, for kernels that
// compute meanwhile: near ones hide behind the arithmetic, mostly.
inline double level_ns(double bytes) {
  constexpr double kFirstBytes = 40 << 10, kThirdBytes = 32 << 20;
  constexpr double kSecondBytesPerNs = 300, kThirdBytesPerNs = 110;
  if (bytes <= kFirstBytes) return 0;
  if (bytes <= static_cast<double>(kCacheBytes)) return bytes / kSecondBytesPerNs;
  return bytes / (bytes <= kThirdBytes ? kThirdBytesPerNs : kMemoryBytesPerNs);
}

// Bytes of an operand or of the output that are at distinct addresses.
inline double distinct_bytes(const Pair& pair, std::int64_t PairAxis::*stride, DType type) {
  auto count = static_cast<double>(size_of(type));
  for (const PairAxes* axes : {&pair.batch, &pair.m, &pair.n, &pair.k})
    for (const PairAxis& axis : *axes)
      if (axis.*stride != 0) count *= static_cast<double>(axis.size);
  return count;
}
inline double distinct_bytes(const Pair& pair) {
  return distinct_bytes(pair, &PairAxis::a, pair.a_type) +
         (pair.has_b ? distinct_bytes(pair, &PairAxis::b, pair.b_type) : 0) +
         distinct_bytes(pair, &PairAxis::c, pair.c_type);
}

// What kernels of products should at least claim where nothing is summed: every element is traffic
// then, and the kernels made for that ("multiply") move it faster, unless rows are short; they
// alone stream large outputs.
inline double product_floor_ns(const Pair& pair) {
  constexpr double kFew = 2048;  // products that the caches and the call hide
  constexpr double kBytesPerNs = 100, kFarBytesPerNs = 5;
  const double terms = pair_terms(pair);
  if (!pair.k.empty() || terms <= kFew) return 0;
  const double bytes = terms * static_cast<double>(size_of(pair.c_type));
  return bytes / (bytes < static_cast<double>(4 * kCacheBytes) ? kBytesPerNs : kFarBytesPerNs);
}

}  // namespace tenfold::einsum_detail
