// Long sums: those of dots, of rows of products and of single operands have the error of a
// summation tree, the others at most that of a plain sum. Measured against sums without rounding.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/einsum.hpp"
#include "support/exact_sum.hpp"
#include "support/pace.hpp"
#include "support/values.hpp"

namespace tenfold::testing {
namespace {

struct Roundoff {
  double sum, result, subnormal;  // units of the accumulator, of the result; least number
};

Roundoff roundoff_of(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return {0x1p-53, 0x1p-53, 0x1p-1074};
    case DType::kF16:
      return {0x1p-24, 0x1p-11, 0x1p-24};
    case DType::kBF16:
      return {0x1p-24, 0x1p-8, 0x1p-133};
    default:
      return {0x1p-24, 0x1p-24, 0x1p-149};
  }
}

class EinsumAccuracy : public ::testing::TestWithParam<DType> {
 protected:
  // Elements all of one sign, whose sums grow to where roundings hurt, or of both. Small enough for
  // long sums to fit float16.
  Tensor data(const Dims& shape, bool positive) {
    const double most = GetParam() == DType::kF16 ? 0.25 : 1;
    Tensor x(GetParam(), shape);
    visit_real_dtype(GetParam(), [&]<class T>() {
      if constexpr (is_float(dtype_of<T>))
        for (T& v : x.values<T>()) v = T(random_.between(positive ? 0.0 : -most, most));
    });
    return x;
  }

  // sum over k of a[i a_step + k a_stride] b[…], against `got` for each i.
  struct Rows {
    std::int64_t rows, terms, a_row, a_term, b_row, b_term;
  };
  void expect_near(const std::string& what, const Tensor& a, const Tensor* b, const Rows& rows,
                   const Tensor& got, bool tree) {
    const Roundoff u = roundoff_of(GetParam());
    const auto n = static_cast<double>(rows.terms);
    const double depth = tree ? std::min(n, 35 + std::log2(std::max(1.0, n / 512))) : n;
    double worst = 0;
    visit_real_dtype(GetParam(), [&]<class T>() {
      if constexpr (is_float(dtype_of<T>))
        for (std::int64_t i = 0; i < rows.rows; ++i) {
          ExactSum sum, size;
          for (std::int64_t k = 0; k < rows.terms; ++k) {
            const double x = as_double(
                a.values<T>()[static_cast<std::size_t>(i * rows.a_row + k * rows.a_term)]);
            const double y = b == nullptr ? 1
                                          : as_double(b->values<T>()[static_cast<std::size_t>(
                                                i * rows.b_row + k * rows.b_term)]);
            sum.add_product(x, y);
            size.add_product(std::fabs(x), std::fabs(y));
          }
          const auto exact = static_cast<double>(sum.value());
          const auto error = std::fabs(static_cast<double>(
              static_cast<long double>(as_double(got.values<T>()[static_cast<std::size_t>(i)])) -
              sum.value()));
          const double allowed = depth * u.sum * static_cast<double>(size.value()) +
                                 u.result * std::fabs(exact) + u.subnormal;
          worst = std::max(worst, error / allowed);
        }
    });
    EXPECT_LE(worst, 1) << what << " " << name_of(GetParam()) << ", terms: " << rows.terms;
  }

  Random random_{41};
};

constexpr std::int64_t kLong = kSanitized ? 20011 : 300007;

TEST_P(EinsumAccuracy, ADotIsATree) {
  for (const std::int64_t n : {std::int64_t{100}, std::int64_t{5000}, kLong})
    for (const bool positive : {true, false}) {
      const Tensor a = data({n}, positive), b = data({n}, positive);
      const Rows rows{1, n, 0, 1, 0, 1};
      expect_near("a,a->", a, &b, rows,
                  run_plan({.equation = "a,a->"}, std::vector<TensorView>{a, b}), true);
      expect_near("a->", a, nullptr, rows,
                  run_plan({.equation = "a->"}, std::vector<TensorView>{a}), true);
    }
}

TEST_P(EinsumAccuracy, ADotOfTwoAxesIsATree) {
  const Tensor a = data({150, 700}, true), b = data({150, 700}, true);
  const Rows rows{1, 150 * 700, 0, 1, 0, 1};
  expect_near("ab,ab->", a, &b, rows,
              run_plan({.equation = "ab,ab->"}, std::vector<TensorView>{a, b}), true);
}

TEST_P(EinsumAccuracy, DotsOfRowsAreTrees) {
  for (const std::int64_t n : {std::int64_t{700}, std::int64_t{60001}}) {
    const Tensor a = data({5, n}, true), b = data({5, n}, true);
    const Rows rows{5, n, n, 1, n, 1};
    expect_near("ab,ab->a", a, &b, rows,
                run_plan({.equation = "ab,ab->a"}, std::vector<TensorView>{a, b}), true);
  }
}

TEST_P(EinsumAccuracy, SumsOfOneOperandAreTrees) {
  const std::int64_t n = 60001;
  const Tensor a = data({5, n}, true), t = data({n, 5}, true);
  expect_near("ab->a", a, nullptr, {5, n, n, 1, 0, 0},
              run_plan({.equation = "ab->a"}, std::vector<TensorView>{a}), true);
  expect_near("ba->a", t, nullptr, {5, n, 1, 5, 0, 0},
              run_plan({.equation = "ba->a"}, std::vector<TensorView>{t}), true);
  const Tensor square = data({400, 400}, true);
  expect_near("aa->", square, nullptr, {1, 400, 0, 401, 0, 0},
              run_plan({.equation = "aa->"}, std::vector<TensorView>{square}), true);
}

// A label of one operand alone is summed there first, by the same tree.
TEST_P(EinsumAccuracy, SumsBeforeAProductAreTrees) {
  const std::int64_t n = 60001;
  const Tensor a = data({5, n}, true);
  Tensor ones(GetParam(), Dims{5});
  visit_real_dtype(GetParam(), [&]<class T>() {
    if constexpr (is_float(dtype_of<T>))
      for (T& v : ones.values<T>()) v = T(1.0F);
  });
  expect_near("ab,a->a", a, nullptr, {5, n, n, 1, 0, 0},
              run_plan({.equation = "ab,a->a"}, std::vector<TensorView>{a, ones}), true);
}

TEST_P(EinsumAccuracy, ProductsAreAtLeastPlainSums) {
  const std::int64_t n = 6007;
  const Tensor a = data({4, n}, true), b = data({n, 4}, true), c = data({4, n}, true);
  const Tensor v = data({n}, true);
  // Row i of the result against column i only: the diagonal of the product.
  const auto diagonal = [&](const char* equation, const Tensor& x, const Tensor& y) {
    const Tensor all = run_plan({.equation = equation}, std::vector<TensorView>{x, y});
    Tensor some(GetParam(), Dims{4});
    for (std::int64_t i = 0; i < 4; ++i)
      std::copy_n(static_cast<const std::byte*>(all.data()) +
                      i * 5 * static_cast<std::int64_t>(size_of(GetParam())),
                  size_of(GetParam()),
                  static_cast<std::byte*>(some.data()) +
                      i * static_cast<std::int64_t>(size_of(GetParam())));
    return some;
  };
  expect_near("ab,bc->ac", a, &b, {4, n, n, 1, 1, 4}, diagonal("ab,bc->ac", a, b), false);
  expect_near("ab,cb->ac", a, &c, {4, n, n, 1, n, 1}, diagonal("ab,cb->ac", a, c), false);
  expect_near("ab,b->a", a, &v, {4, n, n, 1, 0, 1},
              run_plan({.equation = "ab,b->a"}, std::vector<TensorView>{a, v}), false);
  expect_near("ba,b->a", b, &v, {4, n, 1, 4, 0, 1},
              run_plan({.equation = "ba,b->a"}, std::vector<TensorView>{b, v}), false);
}

INSTANTIATE_TEST_SUITE_P(Types, EinsumAccuracy,
                         ::testing::Values(DType::kF32, DType::kF64, DType::kF16, DType::kBF16),
                         [](const auto& p) { return std::string(name_of(p.param)); });

}  // namespace
}  // namespace tenfold::testing
