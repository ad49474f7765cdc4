// Sums, means and products have the bits of the plain summation tree, worked out one addition at a
// time.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/check.hpp"
#include "support/layout.hpp"
#include "support/problem.hpp"
#include "support/random.hpp"
#include "support/tree_model.hpp"

namespace tenfold::testing {
namespace {

template <class T>
using Acc = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Row `row` of x, folded as the tree says; volatile keeps each operation to its own rounding.
template <class T>
T model(ReduceOp op, const T* x, std::int64_t n) {
  using A = Acc<T>;
  const auto plus = [](A a, A b) {
    volatile A sum = a + b;
    return A{sum};
  };
  const auto times = [](A a, A b) {
    volatile A product = a * b;
    return A{product};
  };
  const auto element = [&](std::int64_t i) {
    const A v = static_cast<A>(x[i]);
    if (op == ReduceOp::kL1) return std::fabs(v);
    if (op == ReduceOp::kSumSquare) return times(v, v);
    return v;
  };
  A result = op == ReduceOp::kProd ? model_fold<A>(n, A{1}, element, times)
                                   : model_fold<A>(n, A{-0.0}, element, plus);
  if (op == ReduceOp::kMean) result /= static_cast<A>(n);
  if (std::isnan(result)) result = std::numeric_limits<A>::quiet_NaN();
  return T(result);
}

class Tree : public ::testing::TestWithParam<DType> {};

TEST_P(Tree, BitsOfTheModel) {
  Random random(8);
  visit_real_dtype(GetParam(), [&]<class T>() {
    if constexpr (is_float(dtype_of<T>)) {
      std::vector<std::int64_t> lengths;
      for (std::int64_t n = 1; n <= 70; ++n) lengths.push_back(n);
      for (std::int64_t n : {127,  128,  129,  255,  256,  257,  511,  512,   513,   767,
                             1023, 1024, 1025, 1535, 1536, 1537, 2047, 2048,  2049,  2560,
                             3071, 4095, 4096, 4097, 7777, 8192, 8193, 20000, 100003})
        lengths.push_back(n);
      for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kL1, ReduceOp::kSumSquare, ReduceOp::kProd,
                          ReduceOp::kMean}) {
        int failures = 0;
        for (std::int64_t n : lengths) {
          const Tensor x = random_tensor(dtype_of<T>, Dims{3, n}, op, random);
          Tensor expected(dtype_of<T>, Dims{3});
          for (std::int64_t row = 0; row < 3; ++row)
            expected.values<T>()[static_cast<std::size_t>(row)] =
                model(op, x.values<T>().data() + row * n, n);
          const LaidOut columns(x, {.memory_order = {1, 0}, .gaps = {0, 2}, .offset = 1});
          for (const TensorView& view : {x.view(), columns.view()}) {
            const ReduceSpec spec{.op = op, .axes = Dims{1}};
            const std::string wrong = difference(reduce(view, spec), expected);
            if (wrong.empty()) continue;
            ADD_FAILURE() << problem_string(view, spec) << ": got and expected" << wrong;
            if (++failures == 5) return;
          }
        }
      }
    }
  });
}

// So many columns that the rows are taken a few at a time.
TEST_P(Tree, BitsOfLongRowsAcross) {
  Random random(9);
  visit_real_dtype(GetParam(), [&]<class T>() {
    if constexpr (is_float(dtype_of<T>)) {
      constexpr std::int64_t kColumns = 300;
      for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kSumSquare, ReduceOp::kProd})
        for (std::int64_t n = 9; n <= 130; n += n < 36 ? 1 : 9) {
          const Tensor x = random_tensor(dtype_of<T>, Dims{kColumns, n}, op, random);
          Tensor expected(dtype_of<T>, Dims{kColumns});
          for (std::int64_t row = 0; row < kColumns; ++row)
            expected.values<T>()[static_cast<std::size_t>(row)] =
                model(op, x.values<T>().data() + row * n, n);
          const LaidOut columns(x, {.memory_order = {1, 0}, .gaps = {0, n % 2}});
          const ReduceSpec spec{.op = op, .axes = Dims{1}};
          const std::string wrong = difference(reduce(columns.view(), spec), expected);
          ASSERT_TRUE(wrong.empty()) << problem_string(columns.view(), spec) << wrong;
        }
    }
  });
}

TEST_P(Tree, TheModelAddsFromNegativeZero) {
  visit_real_dtype(GetParam(), [&]<class T>() {
    if constexpr (is_float(dtype_of<T>)) {
      for (std::int64_t n : {1, 15, 16, 17, 512, 513, 2000}) {
        const std::vector<T> zeros(static_cast<std::size_t>(n), T(-0.0f));
        const TensorView view(zeros.data(), Dims{n});
        const Tensor sum = reduce(view, {.op = ReduceOp::kSum});
        EXPECT_TRUE(std::signbit(static_cast<float>(sum.values<T>()[0]))) << n;
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Types, Tree,
                         ::testing::Values(DType::kF64, DType::kF32, DType::kF16, DType::kBF16),
                         [](const auto& p) { return std::string(name_of(p.param)); });

// The model itself, on a case small enough to do by hand.
TEST(TreeModel, ByHand) {
  // 18 elements: lanes 0 and 1 hold two each. With 2^24 in lane 0 and ones elsewhere, lane 0 loses
  // its second one (2^24 + 1 is not a float); the other lanes don't.
  std::vector<float> x(18, 1.0f);
  x[0] = 0x1p24f;
  const auto element = [&](std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
  const auto plus = [](float a, float b) { return a + b; };
  // Lanes 0 … 15: 2^24, 2, 1 … 1. Halves: l0 = 2^24 + 1 = 2^24 (lost), l1 = 3, others 2; then
  // l0 = 2^24 + 2, l1 = 5, l2 = l3 = 4; l0 += 4, l1 = 9; 2^24 + 6 + 9 = 2^24 + 15, tied to even.
  EXPECT_EQ(model_fold<float>(18, -0.0f, element, plus), 0x1p24f + 16);
}

}  // namespace
}  // namespace tenfold::testing
