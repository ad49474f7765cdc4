#include <gtest/gtest.h>

#include <string>

#include "einsum/edge_testing.hpp"
#include "einsum/pair_testing.hpp"
#include "einsum/small_plan.hpp"
#include "support/pace.hpp"

namespace tenfold::einsum_detail {
namespace {

using tenfold::testing::kSanitized;
using testing::expect_right;

const PairKind& small() {
  for (const PairKind& kind : pair_kinds())
    if (kind.name == "small") return kind;
  throw std::logic_error("no kind of the name small");
}

void expect_small(Pair pair, const std::string& what) {
  SCOPED_TRACE(what);
  ASSERT_TRUE(small().accepts(pair));
  EXPECT_GT(small().cost(pair), 0);
  const auto kernel = small().make(pair);
  EXPECT_FALSE(kernel->describe().empty());
  expect_right(pair, *kernel);
}

void set_types(Pair& pair, DType type) { pair.a_type = pair.b_type = pair.c_type = type; }

std::string sizes(std::int64_t m, std::int64_t n, std::int64_t k) {
  return std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
}

// One product of dense matrices, none of size 1.
Pair dense(std::int64_t m, std::int64_t n, std::int64_t k) {
  Pair pair;
  pair.m = {{m, k, 0, n}};
  pair.n = {{n, 0, 1, 1}};
  pair.k = {{k, 1, n, 0}};
  fold_pair(pair);
  return pair;
}

class SmallTypes : public ::testing::TestWithParam<DType> {};

TEST_P(SmallTypes, AllSizesAroundTheBlocks) {
  for (std::int64_t m : {1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 17, 25})
    for (std::int64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 50})
      for (std::int64_t k : {1, 2, 3, 4, 17}) {
        Pair pair = dense(m, n, k);
        set_types(pair, GetParam());
        expect_small(pair, sizes(m, n, k));
      }
}

TEST_P(SmallTypes, EveryLayoutOfEachMatrix) {
  for (const std::int64_t size : {2, 4, 6, 16})
    for (int layout = 0; layout < 8; ++layout) {
      const std::int64_t m = size, n = size + 1, k = 3;
      Pair pair;
      pair.m = {{m, layout & 1 ? 1 : k, 0, layout & 4 ? 1 : n}};
      pair.n = {{n, 0, layout & 2 ? k : 1, layout & 4 ? m : 1}};
      pair.k = {{k, layout & 1 ? m : 1, layout & 2 ? 1 : n, 0}};
      set_types(pair, GetParam());
      expect_small(pair, sizes(m, n, k) + " layout " + std::to_string(layout));
    }
}

TEST_P(SmallTypes, BatchesOfTinyProducts) {
  for (std::int64_t size : {2, 3, 4, 5, 8, 13})
    for (std::int64_t batch : {2, 7, 100}) {
      Pair pair = dense(size, size, size);
      const std::int64_t square = size * size;
      pair.batch = {{batch, square, square, square}};
      set_types(pair, GetParam());
      expect_small(pair, std::to_string(batch) + " of " + sizes(size, size, size));
      // Not one after the other: columns of a larger array, and one operand the same for all.
      pair.batch = {{batch, square + 3, 0, square}, {3, 0, square, batch * square}};
      expect_small(pair, std::to_string(batch) + " x 3 of " + sizes(size, size, size));
    }
}

TEST_P(SmallTypes, ReadsNothingOutsideAndBitsOfEveryTarget) {
  for (std::int64_t m : {1, 3, 4, 13})
    for (std::int64_t n : {2, 3, 4, 5, 9, 17, 33})
      for (std::int64_t k : {1, 2, 4, 30}) {
        SCOPED_TRACE(sizes(m, n, k));
        Pair pair = dense(m, n, k);
        set_types(pair, GetParam());
        testing::expect_edges_and_bits(small(), pair);
        pair.batch = {{5, m * k, k * n, m * n}};
        testing::expect_edges_and_bits(small(), pair);
      }
}

INSTANTIATE_TEST_SUITE_P(Types, SmallTypes,
                         ::testing::Values(DType::kF32, DType::kF64, DType::kI32, DType::kI64,
                                           DType::kF16, DType::kBF16, DType::kBool, DType::kI8,
                                           DType::kU8, DType::kI16, DType::kU16),
                         [](const auto& p) { return std::string(name_of(p.param)); });

TEST(Small, NegativeStrides) {
  Pair pair;
  pair.batch = {{3, -40, 50, -30}};
  pair.m = {{5, -7, 0, 6}};
  pair.n = {{6, 0, 1, 1}};
  pair.k = {{7, -1, -6, 0}};
  expect_small(pair, "direct");
  pair.n = {{6, 0, -1, -1}};
  expect_small(pair, "gathered");
}

TEST(Small, ManyAxes) {
  // 'abcdef,fdbg->eagc', all 2 to 4: a gather, then one product.
  Pair pair;
  pair.m = {{3, 72, 0, 12}, {4, 6, 0, 1}, {2, 2, 0, 36}};
  pair.n = {{3, 0, 1, 4}};
  pair.k = {{2, 24, 3, 0}, {3, 1, 12, 0}, {2, 3, 6, 0}};
  expect_small(pair, "tiny");
  // Two axes of each letter, of a hundred elements: loops around the product.
  pair = Pair{};
  pair.batch = {{2, 20000, 13, 21000}};
  pair.m = {{10, 1, 0, 2100}, {3, 11, 0, 700}};
  pair.n = {{5, 0, 4000, 101}, {20, 0, 1, 1}};
  pair.k = {{40, 400, 31, 0}, {6, 50, 1300, 0}};
  expect_small(pair, "larger");
}

TEST(Small, RepeatedOperands) {
  Pair pair = dense(6, 20, 9);
  pair.m[0].a = 0;
  expect_small(pair, "rows of a");
  pair = dense(6, 20, 9);
  pair.k[0].a = 0;
  pair.k[0].b = 0;
  expect_small(pair, "terms");
  pair = dense(6, 20, 9);
  pair.n[0].b = 0;
  expect_small(pair, "columns of b");
}

TEST(Small, ManyRowsOfFewColumns) {
  for (std::int64_t n : {2, 3, 7, 16, 32, 48}) {
    Pair pair = dense(3001, n, 33);
    expect_small(pair, sizes(3001, n, 33));
    pair.n[0].b = 33;
    pair.k[0].b = 1;
    expect_small(pair, "b transposed");
  }
}

TEST(Small, FewRowsOfManyColumns) {
  expect_small(dense(3, 5000, 70), "b larger than the cache");
  expect_small(dense(40, 3000, 90), "b larger than the cache, several blocks of rows");
  expect_small(dense(30, 40, 9000), "a panel of b larger than the cache");
}

TEST(Small, PackedColumns) {
  for (const DType type : {DType::kF32, DType::kF64, DType::kI32, DType::kI64}) {
    SCOPED_TRACE(name_of(type));
    // Terms in two or three chunks, a last panel that is not whole, several passes of rows.
    Pair pair = dense(150, 70, 1100);
    set_types(pair, type);
    EXPECT_NE(small().make(pair)->describe().find("packed"), std::string::npos);
    expect_small(pair, sizes(150, 70, 1100));
    // Rows of b a power of two apart, several products, a transposed.
    pair = dense(97, 40, 300);
    pair.batch = {{3, 97 * 300, 64, 97 * 40}};
    pair.k[0] = {300, 97, 1024, 0};
    pair.m[0].a = 1;
    set_types(pair, type);
    EXPECT_NE(small().make(pair)->describe().find("packed"), std::string::npos);
    expect_small(pair, sizes(97, 40, 300));
  }
}

// b is dense along k.
Pair turned(std::int64_t m, std::int64_t n, std::int64_t k) {
  Pair pair = dense(m, n, k);
  if (n > 1) pair.n[0].b = k;
  if (k > 1) pair.k[0].b = 1;
  return pair;
}

TEST(Small, TurnedColumns) {
  for (const DType type : {DType::kF32, DType::kF64, DType::kI32, DType::kI64})
    for (std::int64_t m : {1, 5, 30})
      for (std::int64_t n : {4, 6, 9, 17, 40, 70})
        for (std::int64_t k : {4, 7, 16, 33, 130}) {
          Pair pair = turned(m, n, k);
          set_types(pair, type);
          // One row is a column for the other operand; tiny matrices are gathered.
          const bool turns = m > 1 && n * k > 64;
          EXPECT_EQ(turns, small().make(pair)->describe().find("turned") != std::string::npos);
          expect_small(pair, sizes(m, n, k));
          if (kSanitized && m * n * k > 10000) continue;
          // Many products, and an axis that only one operand has.
          pair.batch = {{3, m * k, 0, 20 * m * n}, {20, 0, n * k, m * n}};
          expect_small(pair, "60 of " + sizes(m, n, k));
        }
  const std::int64_t rows = kSanitized ? 20 : 300;
  Pair pair = turned(rows, 900, 512);
  expect_small(pair, "columns larger than the cache");
  pair.m[0].a = 1;
  pair.k[0].a = rows;
  expect_small(pair, "a transposed");
}

TEST(Small, TurnedReadsNothingOutsideAndBitsOfEveryTarget) {
  for (const DType type : {DType::kF32, DType::kF64, DType::kI32, DType::kI64})
    for (std::int64_t m : {1, 3, 45})
      for (std::int64_t n : {4, 5, 9, 33})
        for (std::int64_t k : {4, 5, 17, 32}) {
          SCOPED_TRACE(sizes(m, n, k));
          Pair pair = turned(m, n, k);
          set_types(pair, type);
          testing::expect_edges_and_bits(small(), pair);
        }
}

TEST(Small, TallRowsBecomeLanes) {
  for (const DType type : {DType::kF32, DType::kF64, DType::kI32, DType::kI64})
    for (std::int64_t m : {32, 47, 300})
      for (std::int64_t n : {1, 2, 3, 4, 5, 6, 7, 8})
        for (std::int64_t k : {8, 15, 16, 40}) {
          if (kSanitized && (m == 300 || (n + k) % 3 != 0)) continue;
          SCOPED_TRACE(name_of(type));
          Pair pair = dense(m, n, k);
          set_types(pair, type);
          expect_small(pair, sizes(m, n, k));
          testing::expect_edges_and_bits(small(), pair);
          if (n > 1) pair.n[0].b = k;
          pair.k[0].b = 1;
          expect_small(pair, sizes(m, n, k) + ", b transposed");
          // Summed along two axes, output rows apart, several products.
          pair = dense(m, n, k);
          pair.k = {{3, 1000 * k, n * k, 0}, {k, 1, n, 0}};
          pair.m[0].c = 2 * n + 1;
          pair.batch = {{2, 4000 * k, 0, 700 * m}};
          set_types(pair, type);
          expect_small(pair, sizes(m, n, k) + " three times, twice");
        }
}

TEST(Small, RowsAlongTheDenseAxis) {
  Pair pair;  // 'ijk,jr->ikr': neighbouring k are rows, whatever the size of i
  pair.m = {{50, 20 * 30, 0, 30 * 16}, {30, 1, 0, 16}};
  pair.n = {{16, 0, 1, 1}};
  pair.k = {{20, 30, 16, 0}};
  SmallPlan plan;
  ASSERT_TRUE(plan_small(pair, plan));
  EXPECT_EQ(plan.row.size, 30);
  expect_small(pair, "rows inside");
}

TEST(Small, MixedTypes) {
  Pair pair = dense(5, 6, 7);
  pair.a_type = DType::kF16;
  expect_small(pair, "f16 by f32");
  pair.a_type = DType::kF32;
  pair.b_type = DType::kBF16;
  expect_small(pair, "f32 by bf16");
  pair.b_type = DType::kF32;
  pair.c_type = DType::kF16;
  expect_small(pair, "f32 to f16");
  set_types(pair, DType::kI32);
  pair.a_type = DType::kU8;
  pair.c_type = DType::kI16;
  expect_small(pair, "u8 by i32 to i16");
  expect_small(swapped(pair), "exchanged");
}

TEST(Small, DotAndOuter) {
  Pair pair;
  expect_small(pair, "scalars");
  pair.k = {{100, 3, 2, 0}};
  expect_small(pair, "dot");
  pair = Pair{};
  pair.m = {{10, 2, 0, 1}};
  pair.n = {{9, 0, 1, 10}};
  expect_small(pair, "outer");
  pair = Pair{};
  pair.m = {{9, 1, 0, 3}};
  pair.k = {{8, 9, 2, 0}};
  expect_small(pair, "matrix by vector");
  expect_small(swapped(pair), "vector by matrix");
}

TEST(Small, RefusesWhatIsTooLargeToGather) {
  Pair pair = dense(100, 100, 100);
  set_types(pair, DType::kF16);
  EXPECT_FALSE(small().accepts(pair));
  EXPECT_FALSE(small().accepts(turned(100, 100, 600)));
  pair = Pair{};
  pair.m = {{4, 1, 0, 1}};
  pair.has_b = false;
  EXPECT_FALSE(small().accepts(pair));
}

}  // namespace
}  // namespace tenfold::einsum_detail
