// NaN of both signs, infinities, negative zero and subnormal numbers at every position.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/check.hpp"
#include "support/pace.hpp"
#include "support/problem.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

constexpr int kMostFailures = 5;

// Bits of the special values of a type: NaN +, NaN - (with a payload), inf, -inf, -0, the least
// subnormal, the largest one negated, the largest finite number.
template <class T>
std::vector<T> specials() {
  using L = std::numeric_limits<T>;
  return {
      L::quiet_NaN(),  std::copysign(L::quiet_NaN(), T{-1}), L::infinity(), -L::infinity(), T{-0.0},
      L::denorm_min(), -(L::min() - L::denorm_min()),        L::max()};
}
template <>
std::vector<Float16> specials() {
  std::vector<Float16> values;
  for (std::uint16_t bits : {0x7E00, 0xFE01, 0x7C00, 0xFC00, 0x8000, 0x0001, 0x83FF, 0x7BFF})
    values.push_back(Float16::from_bits(bits));
  return values;
}
template <>
std::vector<BFloat16> specials() {
  std::vector<BFloat16> values;
  for (std::uint16_t bits : {0x7FC0, 0xFFC1, 0x7F80, 0xFF80, 0x8000, 0x0001, 0x807F, 0x7F7F})
    values.push_back(BFloat16::from_bits(bits));
  return values;
}

std::vector<DType> float_types() { return {DType::kF64, DType::kF32, DType::kF16, DType::kBF16}; }

class SpecialValues : public ::testing::TestWithParam<DType> {
 protected:
  bool check(const TensorView& view, const ReduceSpec& spec, std::int64_t position, int special) {
    const std::string wrong = mismatch(view, spec, reduce(view, spec));
    if (wrong.empty()) return true;
    ADD_FAILURE() << wrong << " with special value " << special << " at " << position;
    return ++failures_ < kMostFailures;
  }
  Random random_{6};

 private:
  int failures_ = 0;
};

TEST_P(SpecialValues, AtEveryPositionOfRowsAndColumns) {
  visit_real_dtype(GetParam(), [&]<class T>() {
    if constexpr (is_float(dtype_of<T>)) {
      for (ReduceOp op : all_ops()) {
        if (!is_defined(op, dtype_of<T>)) continue;
        for (std::int64_t n : {1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 31, 32, 33, 47, 64, 65, 70}) {
          Tensor rows = random_tensor(dtype_of<T>, Dims{3, n}, op, random_);
          Tensor columns = random_tensor(dtype_of<T>, Dims{n, 5}, op, random_);
          int which = 0;
          for (T special : specials<T>()) {
            for (std::int64_t i = 0; i < n; ++i) {
              T& in_row = rows.values<T>()[static_cast<std::size_t>(n + i)];
              T& in_column = columns.values<T>()[static_cast<std::size_t>(i * 5 + 3)];
              const T old_row = std::exchange(in_row, special);
              const T old_column = std::exchange(in_column, special);
              const ReduceSpec inner{
                  .op = op, .axes = Dims{1}, .select_last_index = which % 2 == 1};
              const ReduceSpec outer{
                  .op = op, .axes = Dims{0}, .select_last_index = which % 2 == 0};
              if (!check(rows, inner, i, which) || !check(columns, outer, i, which)) return;
              in_row = old_row;
              in_column = old_column;
            }
            ++which;
          }
        }
      }
    }
  });
}

TEST_P(SpecialValues, InLongRowsAndColumns) {
  visit_real_dtype(GetParam(), [&]<class T>() {
    if constexpr (is_float(dtype_of<T>)) {
      for (ReduceOp op : all_ops()) {
        if (!is_defined(op, dtype_of<T>)) continue;
        for (std::int64_t n : {513, 1025, 4097, 8200}) {
          if (kSanitized && n != 1025) continue;
          Tensor row = random_tensor(dtype_of<T>, Dims{n, 1}, op, random_);
          Tensor columns = random_tensor(dtype_of<T>, Dims{n, 3}, op, random_);
          int which = 0;
          for (T special : specials<T>()) {
            for (std::int64_t i : {std::int64_t{0}, std::int64_t{15}, std::int64_t{16},
                                   std::int64_t{511}, std::int64_t{512}, n / 2, n - 1}) {
              T& in_row = row.values<T>()[static_cast<std::size_t>(i)];
              T& in_column = columns.values<T>()[static_cast<std::size_t>(i * 3 + 1)];
              const T old_row = std::exchange(in_row, special);
              const T old_column = std::exchange(in_column, special);
              const ReduceSpec spec{.op = op, .axes = Dims{0}};
              if (!check(row, spec, i, which) || !check(columns, spec, i, which)) return;
              in_row = old_row;
              in_column = old_column;
            }
            ++which;
          }
        }
      }
    }
  });
}

// Two of a kind: the order of ties, and opposite infinities.
TEST_P(SpecialValues, PairsAtEveryPosition) {
  visit_real_dtype(GetParam(), [&]<class T>() {
    if constexpr (is_float(dtype_of<T>)) {
      constexpr std::int64_t kN = 19;
      for (ReduceOp op : all_ops()) {
        if (!is_defined(op, dtype_of<T>)) continue;
        Tensor x = random_tensor(dtype_of<T>, Dims{2, kN}, op, random_);
        const std::vector<T> values = specials<T>();
        for (int pair = 0; pair < 64; pair += kSanitized ? 19 : 1)
          for (std::size_t i = 0; i < kN; ++i)
            for (std::size_t j = i + 1; j < kN; j += 3) {
              const auto first = values[static_cast<std::size_t>(pair / 8)];
              const auto second = values[static_cast<std::size_t>(pair % 8)];
              const T old_i = std::exchange(x.values<T>()[i], first);
              const T old_j = std::exchange(x.values<T>()[j], second);
              const ReduceSpec spec{.op = op, .axes = Dims{1}, .select_last_index = j % 2 == 0};
              if (!check(x, spec, static_cast<std::int64_t>(i), pair)) return;
              x.values<T>()[i] = old_i;
              x.values<T>()[j] = old_j;
            }
      }
    }
  });
}

TEST_P(SpecialValues, NothingElse) {
  visit_real_dtype(GetParam(), [&]<class T>() {
    if constexpr (is_float(dtype_of<T>)) {
      for (ReduceOp op : all_ops()) {
        if (!is_defined(op, dtype_of<T>)) continue;
        for (std::int64_t n : {1, 2, 15, 16, 17, 64, 100, 513, 5000}) {
          int which = 0;
          for (T special : specials<T>()) {
            Tensor x(dtype_of<T>, Dims{n, 2});
            for (T& v : x.values<T>()) v = special;
            const ReduceSpec outer{.op = op, .axes = Dims{0}};
            if (!check(x, outer, 0, which)) return;
            const TensorView row = permuted(x.view(), Dims{1, 0});
            const Tensor dense = Tensor::copy_of(row);
            const ReduceSpec inner{.op = op, .axes = Dims{1}};
            if (!check(dense, inner, 0, which)) return;
            ++which;
          }
        }
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Types, SpecialValues, ::testing::ValuesIn(float_types()),
                         [](const auto& p) { return std::string(name_of(p.param)); });

}  // namespace
}  // namespace tenfold::testing
