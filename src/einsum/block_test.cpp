// The kind "block" against the nested loop: sizes around its panels and blocks, every mix of types,
// every empty list, strides of all sorts; and its bits.
#include <gtest/gtest.h>

#include "einsum/pair_testing.hpp"

namespace tenfold::einsum_detail {

PairKind block_kind();

namespace {

using testing::expect_right;

void check(Pair pair) {
  fold_pair(pair);
  const PairKind kind = block_kind();
  ASSERT_TRUE(kind.accepts(pair));
  EXPECT_GT(kind.cost(pair), 0);
  const auto kernel = kind.make(pair);
  SCOPED_TRACE(kernel->describe());
  expect_right(pair, *kernel);
}

// c[m, n] = a[m, k] b[k, n], row-major; letters of a, b and c by name as in "mk,kn->mn".
struct Sizes {
  std::int64_t m, n, k;
};
Pair product(Sizes s, const std::string& a, const std::string& b, const std::string& c) {
  const auto stride = [](const std::string& order, char first, std::int64_t other) {
    return order[0] == first ? other : 1;
  };
  Pair pair;
  pair.m = {{s.m, stride(a, 'm', s.k), 0, stride(c, 'm', s.n)}};
  pair.n = {{s.n, 0, stride(b, 'n', s.k), stride(c, 'n', s.m)}};
  pair.k = {{s.k, stride(a, 'k', s.m), stride(b, 'k', s.n), 0}};
  return pair;
}

TEST(Block, ProductsOfAllSizesAroundPanels) {
  for (const std::int64_t m : {1, 2, 5, 6, 7, 11, 12, 13, 24, 25, 37})
    for (const std::int64_t n : {1, 3, 8, 15, 16, 17, 31, 32, 33, 48, 70})
      for (const std::int64_t k : {1, 2, 7, 16, 17, 33}) {
        SCOPED_TRACE(::testing::Message() << m << " x " << n << " x " << k);
        check(product({m, n, k}, "mk", "kn", "mn"));
      }
}

TEST(Block, TransposedOperandsAndOutputs) {
  for (const char* a : {"mk", "km"})
    for (const char* b : {"kn", "nk"})
      for (const char* c : {"mn", "nm"})
        for (const Sizes& s : {Sizes{45, 37, 23}, {30, 100, 64}, {7, 5, 3}}) {
          SCOPED_TRACE(::testing::Message() << a << "," << b << "->" << c);
          check(product(s, a, b, c));
        }
}

TEST(Block, LongK) {
  for (const std::int64_t k : {511, 512, 513, 1030}) check(product({19, 35, k}, "mk", "kn", "mn"));
}

}  // namespace
}  // namespace tenfold::einsum_detail
