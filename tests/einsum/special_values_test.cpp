// Infinities, NaN, overflow, subnormal numbers, truth values: what the rule book says of them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/einsum.hpp"

namespace tenfold::testing {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class T>
Tensor vector_of(const std::vector<double>& values) {
  Tensor x(dtype_of<T>, Dims{static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) x.values<T>()[i] = static_cast<T>(values[i]);
  return x;
}

template <class T>
std::vector<double> values_of(const Tensor& x) {
  std::vector<double> values;
  for (const T& v : x.values<T>()) {
    if constexpr (is_float(dtype_of<T>) && sizeof(T) == 2)
      values.push_back(static_cast<float>(v));
    else
      values.push_back(static_cast<double>(v));
  }
  return values;
}

Tensor contract(const char* equation, std::initializer_list<TensorView> operands) {
  return run_plan({.equation = equation}, std::span(operands.begin(), operands.size()));
}

class EinsumSpecials : public ::testing::TestWithParam<DType> {};

// With one way only to take the sum, a result is infinite or NaN just where the sum of the terms
// is: padding inside a kernel must not meet an infinity, and nothing may leak to other outputs.
TEST_P(EinsumSpecials, StayWhereTheyBelong) {
  Random random(31);
  for (const char* equation :
       {"ab,bc->ac", "ab,cb->ac", "ba,bc->ca", "eab,ebc->eac", "ab,b->a", "ab,a->b", "a,a->",
        "ab,ab->a", "ab,ba->b", "a,b->ab", "ab,ab->ab", "abc,cb->bca", "ab->ba", "ab->b", "ab->a",
        "aa->a", "aa->", "abc,dbc->ad"})
    for (const auto& sizes :
         {std::vector<std::int64_t>{3, 5, 4, 2}, {13, 37, 21, 6}, {40, 3, 50, 2}, {1, 90, 1, 3}}) {
      auto operands = random_operands(equation, GetParam(), sizes, random);
      for (Tensor& x : operands) sprinkle_specials(x, random);
      const auto views = views_of(operands);
      EXPECT_EQ(mismatch(equation, views, run_plan({.equation = equation}, views)), "");
    }
}

INSTANTIATE_TEST_SUITE_P(Types, EinsumSpecials,
                         ::testing::Values(DType::kF32, DType::kF64, DType::kF16, DType::kBF16),
                         [](const auto& p) { return std::string(name_of(p.param)); });

// Where the sum may be split, a NaN of the terms (infinity times zero) may come out infinite.
TEST(EinsumSpecialValues, AnyNonFiniteValueWhereTheSumsMayBeSplit) {
  const Tensor inf = vector_of<float>({kInf}), two = vector_of<float>({0, 1});
  EXPECT_FALSE(std::isfinite(values_of<float>(contract("a,b->", {inf, two}))[0]));
  EXPECT_FALSE(std::isfinite(values_of<float>(contract("a,b,b->", {inf, two, two}))[0]));
  const Tensor nan = vector_of<float>({kNan});
  EXPECT_TRUE(std::isnan(values_of<float>(contract("a,b->", {nan, two}))[0]));
  const Tensor none(DType::kF32, Dims{0});
  const double empty = values_of<float>(contract("a,b->", {inf, none}))[0];
  EXPECT_TRUE(std::isnan(empty) || empty == 0) << empty;
}

TEST(EinsumSpecialValues, InfinitiesOfBothSignsAreNaN) {
  const Tensor both = vector_of<double>({kInf, -kInf}), ones = vector_of<double>({1, 1});
  EXPECT_TRUE(std::isnan(values_of<double>(contract("a,a->", {both, ones}))[0]));
  EXPECT_TRUE(std::isnan(values_of<double>(contract("a->", {both}))[0]));
  EXPECT_EQ(values_of<double>(contract("a,a->", {both, both}))[0], kInf);
}

template <class T>
void expect_sums_of_ones() {
  const Tensor ones = vector_of<T>(std::vector<double>(4096, 1.0));
  const TensorView column(ones.data(), dtype_of<T>, Dims{4096, 1});
  const TensorView row(ones.data(), dtype_of<T>, Dims{1, 4096});
  EXPECT_EQ(values_of<T>(contract("a->", {ones}))[0], 4096);
  EXPECT_EQ(values_of<T>(contract("a,a->", {ones, ones}))[0], 4096);
  EXPECT_EQ(values_of<T>(contract("ab->a", {row}))[0], 4096);
  EXPECT_EQ(values_of<T>(contract("ab->b", {column}))[0], 4096);
  EXPECT_EQ(values_of<T>(contract("ab,b->a", {row, ones}))[0], 4096);
  EXPECT_EQ(values_of<T>(contract("ab,a->b", {column, ones}))[0], 4096);
  EXPECT_EQ(values_of<T>(contract("ab,bc->ac", {row, column}))[0], 4096);
  // Three operands go through an intermediate of at least the same precision.
  EXPECT_EQ(values_of<T>(contract("ab,b,b->", {row, ones, ones}))[0], 4096);
}

TEST(EinsumSpecialValues, HalfTypesAreSummedInFloat) {
  expect_sums_of_ones<Float16>();
  expect_sums_of_ones<BFloat16>();
  const Tensor large = vector_of<Float16>({60000, 60000, -60000});
  const Tensor ones = vector_of<Float16>({1, 1, 1});
  EXPECT_EQ(values_of<Float16>(contract("a->", {large}))[0], 60000);
  EXPECT_EQ(values_of<Float16>(contract("a,a->", {large, ones}))[0], 60000);
  const Tensor a = vector_of<Float16>({300, 300, 1}), b = vector_of<Float16>({300, -300, 7});
  EXPECT_EQ(values_of<Float16>(contract("a,a->", {a, b}))[0], 7);
  EXPECT_EQ(values_of<Float16>(contract("a,b->ab", {a, b}))[0], kInf);
}

TEST(EinsumSpecialValues, IntegersWrap) {
  const Tensor bytes = vector_of<std::int8_t>({100, 100, -128});
  EXPECT_EQ(values_of<std::int8_t>(contract("a->", {bytes}))[0], 72);
  EXPECT_EQ(values_of<std::int8_t>(contract("a,a->", {bytes, bytes}))[0], 32);
  const Tensor unsigned_bytes = vector_of<std::uint8_t>({200, 100});
  EXPECT_EQ(values_of<std::uint8_t>(contract("a->", {unsigned_bytes}))[0], 44);
  const Tensor shorts = vector_of<std::uint16_t>({65535, 65535});
  EXPECT_EQ(values_of<std::uint16_t>(contract("a,a->", {shorts, shorts}))[0], 2);
  const Tensor ints = vector_of<std::int32_t>({65536, 1, -2147483648.0});
  EXPECT_EQ(contract("a,a->a", {ints, ints}).values<std::int32_t>()[0], 0);
  EXPECT_EQ(contract("a,a->", {ints, ints}).values<std::int32_t>()[0], 1);
  Tensor longs(DType::kI64, Dims{2});
  longs.values<std::int64_t>()[0] = INT64_MIN;
  longs.values<std::int64_t>()[1] = INT64_MAX;
  EXPECT_EQ(contract("a->", {longs}).values<std::int64_t>()[0], -1);
  EXPECT_EQ(contract("a,a->", {longs, longs}).values<std::int64_t>()[0], 1);
  EXPECT_EQ(contract("a,b->ab", {longs, longs}).values<std::int64_t>()[1], INT64_MIN);
  // More digits than a double has.
  Tensor odd(DType::kI64, Dims{2});
  odd.values<std::int64_t>()[0] = (std::int64_t{1} << 53) + 1;
  odd.values<std::int64_t>()[1] = 2;
  EXPECT_EQ(contract("a->", {odd}).values<std::int64_t>()[0], (std::int64_t{1} << 53) + 3);
}

TEST(EinsumSpecialValues, SubnormalNumbersSurvive) {
  const Tensor tiny = vector_of<float>({0x1p-149, 0x1p-148, 3 * 0x1p-149});
  const Tensor ones = vector_of<float>({1, 1, 1});
  EXPECT_EQ(values_of<float>(contract("a->", {tiny}))[0], 6 * 0x1p-149);
  EXPECT_EQ(values_of<float>(contract("a,a->", {tiny, ones}))[0], 6 * 0x1p-149);
  EXPECT_EQ(values_of<float>(contract("a,a->a", {tiny, ones}))[1], 0x1p-148);
  const Tensor small = vector_of<float>({0x1p-75, 0x1p-74});
  EXPECT_EQ(values_of<float>(contract("a,b->ab", {small, small}))[1], 0x1p-149);
  const Tensor halves = vector_of<Float16>({0x1p-24, 0x1p-24});
  EXPECT_EQ(values_of<Float16>(contract("a->", {halves}))[0], 0x1p-23);
  EXPECT_EQ(values_of<Float16>(contract("a,b->ab", {halves, vector_of<Float16>({1, 3})}))[3],
            3 * 0x1p-24);
}

TEST(EinsumSpecialValues, OneElementIsExact) {
  const Tensor x = vector_of<float>({0.1});
  EXPECT_EQ(values_of<float>(contract("a->", {x}))[0], static_cast<double>(0.1F));
  EXPECT_EQ(values_of<float>(contract("a,a->", {x, vector_of<float>({1})}))[0],
            static_cast<double>(0.1F));
}

// Any byte but zero is true; sums are "or", and only 0 and 1 are written.
TEST(EinsumSpecialValues, TruthValues) {
  Tensor a(DType::kBool, Dims{2, 3});
  const std::uint8_t bytes[] = {0, 2, 255, 0, 128, 0};
  for (std::size_t i = 0; i < 6; ++i) a.values<Bool>()[i].byte = bytes[i];
  const auto bits = [](const Tensor& x) {
    std::vector<int> all;
    for (const Bool b : x.values<Bool>()) all.push_back(b.byte);
    return all;
  };
  EXPECT_EQ(bits(contract("ab->ba", {a})), (std::vector<int>{0, 0, 1, 1, 1, 0}));
  EXPECT_EQ(bits(contract("ab->b", {a})), (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(bits(contract("ab->a", {a})), (std::vector<int>{1, 1}));
  EXPECT_EQ(bits(contract("ab->", {a})), (std::vector<int>{1}));
  EXPECT_EQ(bits(contract("ab,cb->ac", {a, a})), (std::vector<int>{1, 1, 1, 1}));
  EXPECT_EQ(bits(contract("ab,ac->bc", {a, a})), (std::vector<int>{0, 0, 0, 0, 1, 1, 0, 1, 1}));
  EXPECT_EQ(bits(contract("ab,ab->ab", {a, a})), (std::vector<int>{0, 1, 1, 0, 1, 0}));
  EXPECT_EQ(bits(contract("ab,ab,ab->a", {a, a, a})), (std::vector<int>{1, 1}));
  // Many trues stay true: nothing counts them in eight bits.
  Tensor ones(DType::kBool, Dims{512});
  for (Bool& b : ones.values<Bool>()) b = Bool(true);
  EXPECT_EQ(bits(contract("a->", {ones})), (std::vector<int>{1}));
  EXPECT_EQ(bits(contract("a,a->", {ones, ones})), (std::vector<int>{1}));
}

}  // namespace
}  // namespace tenfold::testing
