#include <gtest/gtest.h>

#include <string>

#include "einsum/edge_testing.hpp"
#include "einsum/pair_testing.hpp"

namespace tenfold::einsum_detail {
namespace {

const PairKind& lanes() {
  for (const PairKind& kind : pair_kinds())
    if (kind.name == "lanes") return kind;
  throw std::logic_error("no kind of the name lanes");
}

void expect_lanes(const Pair& pair, const std::string& what) {
  SCOPED_TRACE(what);
  ASSERT_TRUE(lanes().accepts(pair));
  EXPECT_GT(lanes().cost(pair), 0);
  const auto kernel = lanes().make(pair);
  EXPECT_FALSE(kernel->describe().empty());
  testing::expect_right(pair, *kernel);
}

// 'bikp,bkjp->bijp', all dense.
Pair dense(DType type, std::int64_t b, std::int64_t m, std::int64_t n, std::int64_t k,
           std::int64_t p) {
  Pair pair;
  pair.a_type = pair.b_type = pair.c_type = type;
  pair.batch = {{b, m * k * p, k * n * p, m * n * p}, {p, 1, 1, 1}};
  pair.m = {{m, k * p, 0, n * p}};
  pair.n = {{n, 0, p, p}};
  pair.k = {{k, p, n * p, 0}};
  for (PairAxes* axes : {&pair.batch, &pair.m, &pair.n, &pair.k})
    erase_if(*axes, [](const PairAxis& axis) { return axis.size == 1; });
  return pair;
}

std::string name(std::int64_t b, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t p) {
  return std::to_string(b) + " x " + std::to_string(m) + " x " + std::to_string(n) + " x " +
         std::to_string(k) + " x " + std::to_string(p) + " lanes";
}

class LanesTypes : public ::testing::TestWithParam<DType> {};

TEST_P(LanesTypes, AllSizesAroundTheBlocks) {
  for (std::int64_t m : {1, 2, 3, 4, 5, 6, 7, 13})
    for (std::int64_t n : {1, 2, 3, 4, 5, 9})
      for (std::int64_t k : {1, 2, 5})
        for (std::int64_t p : {2, 3, 8, 15, 16, 17, 33})
          expect_lanes(dense(GetParam(), 1, m, n, k, p), name(1, m, n, k, p));
}

TEST_P(LanesTypes, Batches) {
  for (std::int64_t p : {5, 16, 40})
    for (std::int64_t size : {1, 2, 3, 8})
      expect_lanes(dense(GetParam(), 7, size, size + 1, size, p), name(7, size, size + 1, size, p));
}

TEST_P(LanesTypes, PackedColumns) {
  expect_lanes(dense(GetParam(), 3, 40, 11, 33, 16), "one vector");
  expect_lanes(dense(GetParam(), 1, 31, 11, 200, 21), "two chunks of terms, two vectors");
  expect_lanes(dense(GetParam(), 2, 70, 9, 150, 3), "several chunks of rows");
}

TEST_P(LanesTypes, ReadsNothingOutsideAndBitsOfEveryTarget) {
  for (std::int64_t p : {2, 3, 4, 7, 8, 9, 16, 19})
    for (std::int64_t m : {1, 3, 7, 25})
      testing::expect_edges_and_bits(lanes(), dense(GetParam(), 2, m, 6, 5, p));
}

INSTANTIATE_TEST_SUITE_P(Types, LanesTypes,
                         ::testing::Values(DType::kF32, DType::kF64, DType::kI32, DType::kI64),
                         [](const auto& p) { return std::string(name_of(p.param)); });

TEST(Lanes, StridesOfAllSorts) {
  Pair pair;
  pair.batch = {{3, -5000, 0, 4000}, {20, 1, 1, 1}, {2, 70, 40000, 30}};
  pair.m = {{4, 200, 0, 16000}, {5, -900, 0, 130}};
  pair.n = {{3, 0, 25, 1300}, {2, 0, -75, 65}};
  pair.k = {{6, 21, 160, 0}, {2, 10000, 1000, 0}, {3, 150, -2100, 0}};
  expect_lanes(pair, "several axes of each");
  expect_lanes(swapped(pair), "exchanged");
}

TEST(Lanes, ManyProductsOfManyLanes) {
  expect_lanes(dense(DType::kF32, 1, 3, 3, 3, 5000), "one block");
  expect_lanes(dense(DType::kF64, 1, 8, 8, 8, 1003), "several blocks");
  expect_lanes(dense(DType::kF32, 300, 2, 2, 2, 17), "short runs");
}

TEST(Lanes, RefusesOtherLayoutsAndTypes) {
  Pair pair = dense(DType::kF32, 2, 3, 3, 3, 16);
  ASSERT_TRUE(lanes().accepts(pair));
  pair.batch[1].b = 0;
  EXPECT_FALSE(lanes().accepts(pair));
  pair = dense(DType::kF16, 2, 3, 3, 3, 16);
  EXPECT_FALSE(lanes().accepts(pair));
  pair = dense(DType::kF32, 2, 3, 3, 3, 16);
  pair.c_type = DType::kF16;
  EXPECT_FALSE(lanes().accepts(pair));
}

}  // namespace
}  // namespace tenfold::einsum_detail
