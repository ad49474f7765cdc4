// Test data that is the same on every machine and in every run: a small generator of our own (the
// standard library's distributions differ between libraries), and values that suit an operator.
// Called by the whole-library tests.
#pragma once

#include <cstdint>

#include "tenfold/reduce.hpp"

namespace tenfold::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits();                     // 64 random bits
  std::int64_t below(std::int64_t n);       // 0 … n-1
  double between(double low, double high);  // evenly spread

 private:
  std::uint64_t state_;
};

// Finite elements for which `op` has a result that can be checked: products stay in range, sums
// under a logarithm are positive, extremes have ties, and integers overflow only where they may.
Tensor random_tensor(DType dtype, const Dims& shape, ReduceOp op, Random& random);

// Puts both infinities and a NaN at random places of a float tensor.
void sprinkle_specials(Tensor& tensor, Random& random);

}  // namespace tenfold::testing
