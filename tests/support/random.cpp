#include "support/random.hpp"

#include <cmath>
#include <limits>

namespace tenfold::testing {
namespace {

bool is_arg_or_extreme(ReduceOp op) {
  return op == ReduceOp::kMax || op == ReduceOp::kMin || op == ReduceOp::kArgMax ||
         op == ReduceOp::kArgMin;
}

double random_float(ReduceOp op, Random& random) {
  if (is_arg_or_extreme(op) && random.below(2) == 0)
    return static_cast<double>(random.below(17) - 8) / 2;  // ties, and both zeros
  if (op == ReduceOp::kProd) {
    const double magnitude = std::exp2(random.between(-0.05, 0.05));
    return random.below(2) == 0 ? magnitude : -magnitude;
  }
  if (op == ReduceOp::kLogSum) return random.between(0.1, 1.1);
  if (op == ReduceOp::kLogSumExp) return random.between(-10, 10);
  return std::ldexp(random.between(-1, 1), static_cast<int>(random.below(8)) - 6);
}

template <class T>
T random_integer(ReduceOp op, Random& random) {
  if (op == ReduceOp::kLogSum) return static_cast<T>(1 + random.below(5));
  if (op == ReduceOp::kLogSumExp)
    return static_cast<T>(random.below(20) - (std::is_signed_v<T> ? 10 : 0));
  if (random.below(2) == 0) return static_cast<T>(random.below(15) - (std::is_signed_v<T> ? 7 : 0));
  return static_cast<T>(random.bits());
}

}  // namespace

std::uint64_t Random::bits() {  // SplitMix64: a counter through a mixing function
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

std::int64_t Random::below(std::int64_t n) {
  return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(n));
}

double Random::between(double low, double high) {
  return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
}

Tensor random_tensor(DType dtype, const Dims& shape, ReduceOp op, Random& random) {
  Tensor tensor(dtype, shape);
  visit_real_dtype(dtype, [&]<class T>() {
    for (T& x : tensor.values<T>()) {
      if constexpr (std::is_same_v<T, Bool>)
        x = Bool(random.below(4) != 0);
      else if constexpr (is_float(dtype_of<T>))
        x = T(random_float(op, random));
      else
        x = random_integer<T>(op, random);
    }
  });
  return tensor;
}

void sprinkle_specials(Tensor& tensor, Random& random) {
  visit_real_dtype(tensor.dtype(), [&]<class T>() {
    if constexpr (is_float(dtype_of<T>)) {
      using Limits = std::numeric_limits<float>;
      if (tensor.size() == 0) return;
      for (float special : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()})
        tensor.values<T>()[static_cast<std::size_t>(random.below(tensor.size()))] = T(special);
    }
  });
}

}  // namespace tenfold::testing
