// What the tests of contractions in models share: matrices of small whole numbers, which every type
// holds and no order of summation rounds, and matmul as plain loops. Used by unit tests only.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "core/convert.hpp"
#include "graph/testing.hpp"

namespace tenfold::graph::testing {

// Whole numbers from -4 to 4, from 0 to 4 in unsigned types.
inline Tensor small_numbers(DType dtype, const Dims& shape, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> numbers(is_signed(dtype) ? -4 : 0, 4);
  Tensor tensor(dtype, shape);
  visit_real_dtype(dtype, [&]<class T>() {
    for (T& value : tensor.values<T>()) value = convert_element<T>(numbers(random));
  });
  return tensor;
}

inline std::vector<double> doubles(const TensorView& view) {
  const Tensor dense = Tensor::copy_of(view);
  std::vector<double> out;
  visit_real_dtype(view.dtype, [&]<class T>() {
    for (const T& value : dense.values<T>()) out.push_back(convert_element<double>(value));
  });
  return out;
}

// NumPy's matmul by its definition: rows, columns and batches one by one.
struct PlainMatmul {
  Dims shape;
  std::vector<double> values;

  PlainMatmul(const TensorView& left, const TensorView& right) {
    const std::vector<double> a = doubles(left), b = doubles(right);
    Dims as = left.shape, bs = right.shape;
    const bool row = as.size() == 1, column = bs.size() == 1;
    if (row) as = Dims{1, as[0]};
    if (column) bs = Dims{bs[0], 1};
    const int rank = std::max(as.size(), bs.size());
    Dims batches;
    const auto batch = [&](const Dims& s, int axis) {
      const int at = axis - (rank - s.size());
      return at < 0 ? 1 : s[at];
    };
    for (int axis = 0; axis < rank - 2; ++axis)
      batches.push_back(batch(as, axis) == 1 ? batch(bs, axis) : batch(as, axis));
    const std::int64_t m = as[as.size() - 2], k = as.back(), n = bs.back();
    for (std::int64_t flat = 0; flat < element_count(batches); ++flat) {
      std::int64_t rest = flat, in_a = 0, in_b = 0, step_a = 1, step_b = 1;
      for (int axis = rank - 3; axis >= 0; --axis) {
        const std::int64_t at = rest % batches[axis];
        rest /= batches[axis];
        in_a += (batch(as, axis) == 1 ? 0 : at) * step_a;
        in_b += (batch(bs, axis) == 1 ? 0 : at) * step_b;
        step_a *= batch(as, axis);
        step_b *= batch(bs, axis);
      }
      for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
          double sum = 0;
          for (std::int64_t l = 0; l < k; ++l)
            sum += a[static_cast<std::size_t>((in_a * m + i) * k + l)] *
                   b[static_cast<std::size_t>((in_b * k + l) * n + j)];
          values.push_back(sum);
        }
    }
    shape = batches;
    if (!row) shape.push_back(m);
    if (!column) shape.push_back(n);
  }
};

}  // namespace tenfold::graph::testing
