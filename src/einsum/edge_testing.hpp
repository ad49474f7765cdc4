// Helpers for the tests of contraction kernels that touch no byte outside their operands, on any
// target: operands between unreadable pages, and the bits of the output on each target.
// Called by the tests of kernels that read operands in place.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "core/convert.hpp"
#include "einsum/pair.hpp"
#include "support/target.hpp"

namespace tenfold::einsum_detail::testing {

// Memory that ends where a page ends that nobody may read, or begins after one.
class EdgeMemory {
 public:
  EdgeMemory(std::size_t bytes, bool at_end) : page_(static_cast<std::size_t>(getpagesize())) {
    const std::size_t inside = (bytes + page_ - 1) / page_ * page_;
    size_ = inside + 2 * page_;
    void* const map =
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) throw std::bad_alloc();
    map_ = static_cast<std::byte*>(map);
    mprotect(map_, page_, PROT_NONE);
    mprotect(map_ + page_ + inside, page_, PROT_NONE);
    data_ = map_ + page_ + (at_end ? inside - bytes : 0);
  }
  ~EdgeMemory() { munmap(map_, size_); }
  EdgeMemory(const EdgeMemory&) = delete;
  EdgeMemory& operator=(const EdgeMemory&) = delete;
  std::byte* data() { return data_; }

 private:
  std::size_t page_, size_;
  std::byte *map_, *data_;
};

// The elements from the lowest to the highest address that an operand's strides reach.
struct Reach {
  template <class Stride>
  Reach(const Pair& pair, Stride stride) {
    for (const PairAxes* axes : {&pair.batch, &pair.m, &pair.n, &pair.k})
      for (const PairAxis& axis : *axes) {
        const std::int64_t reach = (axis.size - 1) * stride(axis);
        (reach < 0 ? low : high) += reach;
      }
  }
  std::int64_t low = 0, high = 0;
  std::size_t bytes(DType dtype) const {
    return static_cast<std::size_t>(high - low + 1) * size_of(dtype);
  }
  std::size_t origin(DType dtype) const { return static_cast<std::size_t>(-low) * size_of(dtype); }
};

inline void fill_random(std::byte* data, std::size_t bytes, DType dtype, std::mt19937& random) {
  std::normal_distribution<double> normal(0, is_float(dtype) ? 1 : 20);
  visit_real_dtype(dtype, [&]<class T>() {
    for (std::size_t i = 0; i < bytes; i += sizeof(T)) {
      const T value = convert_element<T>(normal(random));
      std::memcpy(data + i, &value, sizeof(T));
    }
  });
}

// The bytes of the output that a kernel of the kind gives on this target, with nothing readable
// just outside the operands.
inline std::vector<std::byte> run_at_edge(const PairKind& kind, const Pair& pair, bool at_end) {
  const Reach a(pair, [](const PairAxis& x) { return x.a; });
  const Reach b(pair, [](const PairAxis& x) { return x.b; });
  const Reach c(pair, [](const PairAxis& x) { return x.c; });
  EdgeMemory a_memory(a.bytes(pair.a_type), at_end), b_memory(b.bytes(pair.b_type), at_end);
  EdgeMemory c_memory(c.bytes(pair.c_type), at_end);
  std::mt19937 random(7);
  fill_random(a_memory.data(), a.bytes(pair.a_type), pair.a_type, random);
  fill_random(b_memory.data(), b.bytes(pair.b_type), pair.b_type, random);
  kind.make(pair)->run(a_memory.data() + a.origin(pair.a_type),
                       b_memory.data() + b.origin(pair.b_type),
                       c_memory.data() + c.origin(pair.c_type), {.executor = &serial_executor()});
  return {c_memory.data(), c_memory.data() + c.bytes(pair.c_type)};
}

// Every target runs with unreadable neighbours; those with fused multiply-add give the same bits,
// and so does SSE4 for integers.
inline void expect_edges_and_bits(const PairKind& kind, const Pair& pair) {
  using tenfold::testing::ForcedTarget;
  using tenfold::testing::forcible_targets;
  std::vector<std::byte> first;
  for (const std::string& target : forcible_targets()) {
    const ForcedTarget forced(target);
    const std::vector<std::byte> end = run_at_edge(kind, pair, true);
    const std::vector<std::byte> begin = run_at_edge(kind, pair, false);
    EXPECT_EQ(end, begin) << target << ": bits depend on the place";
    if (first.empty()) first = end;
    const bool fused = target != "SSE4" || is_integer(pair.c_type);
    EXPECT_TRUE(!fused || end == first) << target << ": other bits than the best target";
  }
}

}  // namespace tenfold::einsum_detail::testing
