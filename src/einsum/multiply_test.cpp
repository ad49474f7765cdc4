#include <complex>
#include <cstring>
#include <random>

#include "einsum/elementwise_testing.hpp"

namespace tenfold::einsum_detail {
namespace {

using testing::all_layouts;
using testing::dense;
using testing::expect_right_everywhere;
using testing::on_every_target;
using testing::product_of;
using testing::Sizes;
using testing::Strides;

Pair product(const Sizes& sizes, const Strides& a, const Strides& b, DType type) {
  return product_of(sizes, a, b, dense(sizes), type, type, type);
}

// Hadamard, broadcast and outer products, each operand over any axes in any order.
TEST(Multiply, EveryPairOfLayouts) {
  for (const Sizes& sizes : std::vector<Sizes>{
           {1}, {70}, {7, 9}, {70, 33}, {3, 4, 5}, {20, 17, 33}, {2, 70, 8}, {5, 40, 3}})
    for (DType type : {DType::kF32, DType::kI8, DType::kF64})
      for (const Strides& a : all_layouts(sizes))
        for (const Strides& b : all_layouts(sizes)) {
          if (type != DType::kF32 && sizes.size() > 2 && a < b) continue;
          SCOPED_TRACE(name_of(type));
          expect_right_everywhere(product(sizes, a, b, type));
          if (HasFailure()) return;
        }
}

TEST(Multiply, EveryCombinationOfTypes) {
  const Sizes sizes{35, 37};
  const Strides rows{37, 1}, columns{1, 35}, row{0, 1}, column{1, 0};
  for (const auto& group : testing::type_groups())
    for (DType a : group)
      for (DType b : group)
        for (DType c : group) {
          SCOPED_TRACE(std::string(name_of(a)) + " * " + std::string(name_of(b)) + " to " +
                       std::string(name_of(c)));
          expect_right_everywhere(product_of(sizes, rows, columns, rows, a, b, c));
          expect_right_everywhere(product_of(sizes, column, row, rows, a, b, c));
          expect_right_everywhere(product_of(sizes, rows, rows, {-80, 2}, a, b, c));
          if (HasFailure()) return;
        }
}

TEST(Multiply, AnyStrides) {
  const Sizes sizes{3, 19, 70};
  const std::vector<Strides> layouts{
      {1330, 70, 1}, {-1330, 70, -1}, {1330, 1, 19}, {-1330, -1, 19}, {1330, 1, -19},
      {1, 3, 57},    {0, 0, 2},       {4000, 3, 60}, {0, -1, 0},      {1330, -70, 0},
      {70, 0, 1},    {-1, 0, 3},      {5000, 71, 1}};
  const std::vector<Strides> outputs{{1330, 70, 1}, {-1600, 80, 1}, {1, 210, 3}, {2660, 140, -2}};
  for (DType type : {DType::kF32, DType::kF16, DType::kI16})
    for (const Strides& a : layouts)
      for (const Strides& b : layouts)
        for (const Strides& c : outputs) {
          SCOPED_TRACE(name_of(type));
          expect_right_everywhere(product_of(sizes, a, b, c, type, type, type));
          if (HasFailure()) return;
        }
}

TEST(Multiply, NarrowInnerAxes) {
  for (DType type : {DType::kF32, DType::kF64, DType::kBF16, DType::kBool})
    for (std::int64_t n : {2, 3, 5, 8, 13, 16}) {
      SCOPED_TRACE(name_of(type));
      const Sizes sizes{700, n};
      expect_right_everywhere(product(sizes, {1, 0}, {n, 1}, type));
      expect_right_everywhere(product(sizes, {0, 1}, {1, 700}, type));
      expect_right_everywhere(product(sizes, {1, 0}, {0, 1}, type));
      expect_right_everywhere(product_of(sizes, {1, 0}, {n, 1}, {n + 1, 1}, type, type, type));
      if (HasFailure()) return;
    }
}

// Rows of several axes in windows: an operand that steps along one of them only begins each window
// at the same element, but not with the same rows.
TEST(Multiply, RowsOfSeveralAxes) {
  for (DType type : {DType::kF32, DType::kF64, DType::kBF16, DType::kI8})
    expect_right_everywhere(product_of({4, 130, 5, 3}, {1982, 15, 1, 5}, {16, 0, 0, 1},
                                       {1, 126, 16388, 42}, type, type, type));
}

TEST(Multiply, Scalars) {
  for (DType type : {DType::kF32, DType::kI64, DType::kBool})
    expect_right_everywhere(product({}, {}, {}, type));
}

// Outputs that are streamed past the caches.
TEST(Multiply, LargeOutputs) {
  // Streamed: more than 20 MB in all.
  const Sizes square{904, 1000}, odd{951, 933};
  expect_right_everywhere(product({1640, 1608}, {1, 0}, {0, 1}, DType::kF64));
  expect_right_everywhere(product(square, {1000, 1}, {1000, 1}, DType::kF64));
  expect_right_everywhere(product(square, {1000, 1}, {1, 904}, DType::kF64));
  expect_right_everywhere(product(odd, {933, 1}, {1, 951}, DType::kF64));
  expect_right_everywhere(product({165000, 8}, {1, 0}, {8, 1}, DType::kF64));
  const Sizes cube{90, 100, 101};
  expect_right_everywhere(product(cube, {1, 90 * 101, 90}, {1, 90, 90 * 100}, DType::kF64));
  expect_right_everywhere(product(cube, {100, 1, 90 * 100}, {1, 90 * 101, 90}, DType::kF64));
  expect_right_everywhere(product_of({2300, 2290}, {2290, 1}, {0, 1}, {2290, 1}, DType::kF16,
                                     DType::kBF16, DType::kF16));
  expect_right_everywhere(product({701, 901}, {901, 1}, {1, 701}, DType::kF64));  // not streamed
}

TEST(Multiply, BoolIsAnd) {
  std::vector<Bool> a(256 * 4), b(256 * 4), c(256 * 4);
  const std::uint8_t others[] = {0, 1, 2, 255};
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i].byte = static_cast<std::uint8_t>(i % 256);
    b[i].byte = others[i / 256];
  }
  on_every_target(product({1024}, {1}, {1}, DType::kBool), [&](const PairKernel& kernel) {
    kernel.run(a.data(), b.data(), c.data(), {.executor = &serial_executor()});
    for (std::size_t i = 0; i < c.size(); ++i)
      ASSERT_EQ(c[i].byte, a[i].byte != 0 && b[i].byte != 0) << i;
  });
}

// By the four real products, each rounded, on every target.
template <class T>
void expect_complex_products(DType type) {
  const Sizes sizes{3, 19, 70};
  const Strides outputs[] = {{1330, 70, 1}, {1, 210, 3}, {2660, 140, 2}};
  const Strides layouts[] = {{1330, 70, 1}, {1330, 1, 19}, {1, 3, 57}, {0, 0, 2},
                             {0, 1, 0},     {70, 0, 1},    {0, 0, 0},  {0, 71, 1}};
  std::mt19937 random(5);
  std::uniform_real_distribution<T> number(-2, 2);
  std::vector<std::complex<T>> a(4000), b(4000), c(8000);
  for (auto* values : {&a, &b})
    for (std::complex<T>& value : *values) value = {number(random), number(random)};
  for (const Strides& of_a : layouts)
    for (const Strides& of_b : layouts)
      for (const Strides& of_c : outputs)
        on_every_target(
            product_of(sizes, of_a, of_b, of_c, type, type, type), [&](const PairKernel& kernel) {
              kernel.run(a.data(), b.data(), c.data(), {.executor = &serial_executor()});
              for (std::int64_t i = 0; i < sizes[0]; ++i)
                for (std::int64_t j = 0; j < sizes[1]; ++j)
                  for (std::int64_t k = 0; k < sizes[2]; ++k) {
                    const auto at = [&](const auto& values, const Strides& steps) {
                      return values[static_cast<std::size_t>(i * steps[0] + j * steps[1] +
                                                             k * steps[2])];
                    };
                    const std::complex<T> x = at(a, of_a), y = at(b, of_b);
                    const std::complex<T> want(x.real() * y.real() - x.imag() * y.imag(),
                                               x.imag() * y.real() + x.real() * y.imag());
                    ASSERT_EQ(at(c, of_c), want) << i << ' ' << j << ' ' << k;
                  }
            });
}

TEST(Multiply, ComplexNumbers) {
  expect_complex_products<float>(DType::kC64);
  expect_complex_products<double>(DType::kC128);
}

TEST(Multiply, FloatsFollowTheirStandard) {
  const float inf = HUGE_VALF, nan = NAN;
  const std::vector<float> a{inf,       inf,      0.0f, -0.0f, nan,
                             0x1p-149f, 0x1p127f, 1.5f, -inf,  0x1p-126f};
  const std::vector<float> b{0.0f, -2.0f, -1.0f, 3.0f, 1.0f, 1.0f, 4.0f, 0x1p-149f, inf, 0.5f};
  on_every_target(product({10}, {1}, {1}, DType::kF32), [&](const PairKernel& kernel) {
    std::vector<float> c(10);
    kernel.run(a.data(), b.data(), c.data(), {.executor = &serial_executor()});
    for (std::size_t i = 0; i < c.size(); ++i) {
      const float want = a[i] * b[i];
      if (std::isnan(want))
        EXPECT_TRUE(std::isnan(c[i])) << i;
      else
        EXPECT_EQ(std::memcmp(&c[i], &want, sizeof want), 0) << a[i] << " * " << b[i];
    }
  });
}

// Nor do bits depend on the target or on where the memory lies.
TEST(Multiply, TouchesNothingOutside) {
  for (const Sizes& sizes :
       std::vector<Sizes>{{1}, {70}, {3, 70}, {70, 3}, {17, 33}, {90, 8}, {2, 3, 40}, {9, 40, 2}})
    for (const Strides& a : all_layouts(sizes))
      for (const Strides& b : all_layouts(sizes))
        for (DType type : {DType::kF32, DType::kF16, DType::kF64, DType::kI8, DType::kBool}) {
          if (a < b) continue;
          SCOPED_TRACE(name_of(type));
          testing::expect_edges_and_bits(multiply_kind(), product(sizes, a, b, type));
          if (HasFailure()) return;
        }
}

TEST(Multiply, TakesWhatSumsNothing) {
  Pair pair = product({3}, {1}, {1}, DType::kF32);
  EXPECT_TRUE(multiply_kind().accepts(pair));
  pair.k.push_back({4, 1, 1, 0});
  EXPECT_FALSE(multiply_kind().accepts(pair));
  pair.k.clear();
  pair.has_b = false;
  EXPECT_FALSE(multiply_kind().accepts(pair));
}

}  // namespace
}  // namespace tenfold::einsum_detail
