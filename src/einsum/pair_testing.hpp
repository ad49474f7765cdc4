// Helpers for the tests of contraction kernels: operands in memory for a Pair, the plain nested
// loop, and the comparison by the accuracy rule of docs/semantics.md (grade B).
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/convert.hpp"
#include "einsum/pair.hpp"

namespace tenfold::einsum_detail::testing {

inline double unit_roundoff(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return 0x1p-53;
    case DType::kF32:
      return 0x1p-24;
    case DType::kF16:
      return 0x1p-11;
    case DType::kBF16:
      return 0x1p-8;
    default:
      return 0;
  }
}

// Memory for one operand of a Pair: covers every address its strides reach, negative ones too, with
// a guard zone at both ends, filled with small random values.
class Block {
 public:
  static constexpr std::int64_t kGuard = 64;

  template <class Stride>
  Block(const Pair& pair, DType dtype, Stride stride, std::mt19937& random, bool integers)
      : dtype_(dtype) {
    std::int64_t high = 0;
    for (const PairAxes* axes : {&pair.batch, &pair.m, &pair.n, &pair.k})
      for (const PairAxis& axis : *axes) {
        const std::int64_t reach = (axis.size - 1) * stride(axis);
        (reach < 0 ? low_ : high) += reach;
      }
    count_ = high - low_ + 1 + 2 * kGuard;
    bytes_.resize(static_cast<std::size_t>(count_) * size_of(dtype));
    std::normal_distribution<double> normal;
    std::uniform_int_distribution<int> small(-3, 3);
    for (std::int64_t i = 0; i < count_; ++i)
      set(i, integers || !is_float(dtype) ? small(random) : normal(random));
    before_ = bytes_;
  }

  std::byte* data() {
    return bytes_.data() + static_cast<std::size_t>(kGuard - low_) * size_of(dtype_);
  }
  double at(std::int64_t offset) const { return get(kGuard - low_ + offset); }
  std::int64_t integer_at(std::int64_t offset) const {
    std::int64_t value = 0;
    visit_real_dtype(dtype_, [&]<class T>() {
      T v;
      std::memcpy(&v, bytes_.data() + static_cast<std::size_t>(kGuard - low_ + offset) * sizeof(T),
                  sizeof(T));
      value = convert_element<std::int64_t>(v);
    });
    return value;
  }
  // Elements not in `written` (offsets) must still be what they were.
  void expect_untouched(const std::vector<std::int64_t>& written) const {
    std::vector<char> ours(static_cast<std::size_t>(count_));
    for (std::int64_t offset : written) ours[static_cast<std::size_t>(kGuard - low_ + offset)] = 1;
    for (std::size_t i = 0; i < ours.size(); ++i)
      if (!ours[i] && std::memcmp(bytes_.data() + i * size_of(dtype_),
                                  before_.data() + i * size_of(dtype_), size_of(dtype_)) != 0) {
        ADD_FAILURE() << "wrote outside the output, at element " << i;
        return;
      }
  }

 private:
  void set(std::int64_t i, double value) {
    visit_real_dtype(dtype_, [&]<class T>() {
      const T v = convert_element<T>(is_float(dtype_) ? value : std::abs(value));
      std::memcpy(bytes_.data() + static_cast<std::size_t>(i) * sizeof(T), &v, sizeof(T));
    });
  }
  double get(std::int64_t i) const {
    double value = 0;
    visit_real_dtype(dtype_, [&]<class T>() {
      T v;
      std::memcpy(&v, bytes_.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
      value = convert_element<double>(v);
    });
    return value;
  }
  DType dtype_;
  std::int64_t low_ = 0, count_ = 0;
  std::vector<std::byte> bytes_, before_;
};

// Calls body(a, b, c) with the offsets of every position of the axes.
template <class Body>
void for_each(const PairAxes& axes, Body body, std::size_t depth = 0, std::int64_t a = 0,
              std::int64_t b = 0, std::int64_t c = 0) {
  if (depth == axes.size()) return body(a, b, c);
  const PairAxis& axis = axes[depth];
  for (std::int64_t i = 0; i < axis.size; ++i)
    for_each(axes, body, depth + 1, a + i * axis.a, b + i * axis.b, c + i * axis.c);
}

// Runs `kernel` on random operands of `pair` and compares every output with the nested loop, then
// once more with 3 threads for equal bits.
inline void expect_right(const Pair& pair, const PairKernel& kernel, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  Block a(
      pair, pair.a_type, [](const PairAxis& x) { return x.a; }, random, false);
  Block b(
      pair, pair.b_type, [](const PairAxis& x) { return x.b; }, random, false);
  Block c(
      pair, pair.c_type, [](const PairAxis& x) { return x.c; }, random, false);
  Block again = c;
  kernel.run(a.data(), pair.has_b ? b.data() : nullptr, c.data(), {.executor = &serial_executor()});
  kernel.run(a.data(), pair.has_b ? b.data() : nullptr, again.data(), {.threads = 3});
  const DType acc = acc_type(pair.c_type);
  PairAxes kept = pair.batch;
  kept.insert(kept.end(), pair.m.begin(), pair.m.end());
  kept.insert(kept.end(), pair.n.begin(), pair.n.end());
  std::vector<std::int64_t> written;
  const double terms = static_cast<double>(extent(pair.k));
  int failures = 0;
  for_each(kept, [&](std::int64_t ka, std::int64_t kb, std::int64_t kc) {
    written.push_back(kc);
    if (failures > 3) return;
    if (std::memcmp(c.data() + kc * static_cast<std::int64_t>(size_of(pair.c_type)),
                    again.data() + kc * static_cast<std::int64_t>(size_of(pair.c_type)),
                    size_of(pair.c_type)) != 0) {
      ++failures;
      ADD_FAILURE() << "bits differ with 3 threads at offset " << kc;
    }
    if (is_float(acc)) {
      long double sum = 0, size = 0;
      for_each(pair.k, [&](std::int64_t i, std::int64_t j, std::int64_t) {
        const long double term = static_cast<long double>(a.at(ka + i)) *
                                 (pair.has_b ? static_cast<long double>(b.at(kb + j)) : 1.0L);
        sum += term;
        size += std::fabs(term);
      });
      if (pair.c_type == DType::kBool) sum = sum != 0;
      const double bound = pair.c_type == DType::kBool
                               ? 0
                               : static_cast<double>((terms + 1) * unit_roundoff(acc) * size +
                                                     unit_roundoff(pair.c_type) * std::fabs(sum)) +
                                     6e-8;
      if (!(std::fabs(c.at(kc) - static_cast<double>(sum)) <= bound)) {
        ++failures;
        ADD_FAILURE() << "offset " << kc << ": expected " << static_cast<double>(sum) << ", got "
                      << c.at(kc) << ", bound " << bound;
      }
    } else {
      std::uint64_t sum = 0;
      for_each(pair.k, [&](std::int64_t i, std::int64_t j, std::int64_t) {
        sum += static_cast<std::uint64_t>(a.integer_at(ka + i)) *
               (pair.has_b ? static_cast<std::uint64_t>(b.integer_at(kb + j)) : 1);
      });
      std::int64_t wrapped = 0;
      visit_real_dtype(pair.c_type, [&]<class T>() {
        wrapped = convert_element<std::int64_t>(convert_element<T>(static_cast<std::int64_t>(sum)));
      });
      if (c.integer_at(kc) != wrapped) {
        ++failures;
        ADD_FAILURE() << "offset " << kc << ": expected " << wrapped << ", got "
                      << c.integer_at(kc);
      }
    }
  });
  c.expect_untouched(written);
}

}  // namespace tenfold::einsum_detail::testing
