#include "einsum/gapless.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace tenfold::einsum_detail {
namespace {

std::vector<std::int64_t> strides(const PairAxes& axes, std::int64_t PairAxis::*stride) {
  std::vector<std::int64_t> all;
  for (const PairAxis& axis : axes) all.push_back(axis.*stride);
  return all;
}
using Strides = std::vector<std::int64_t>;

Pair pair_of(PairAxes m, PairAxes n, PairAxes k) {
  Pair pair;
  pair.m = std::move(m);
  pair.n = std::move(n);
  pair.k = std::move(k);
  return pair;
}

TEST(Gapless, KeepsWhatHasNoGaps) {
  const Pair pair = pair_of({{3, 4, 0, 5}}, {{5, 0, 1, 1}}, {{4, 1, 5, 0}});
  EXPECT_TRUE(Gapless(pair).unchanged());
  EXPECT_EQ(strides(Gapless(pair).pair().k, &PairAxis::b), (Strides{5}));
}

TEST(Gapless, ClosesGapsInEachOperandByItself) {
  const Pair pair = pair_of({{3, 40, 0, 100}}, {{5, 0, 1, 1}}, {{4, 1, 7, 0}});
  const Gapless gapless(pair);
  EXPECT_FALSE(gapless.unchanged());
  const Pair dense = gapless.pair();
  EXPECT_EQ(strides(dense.m, &PairAxis::a), (Strides{4}));
  EXPECT_EQ(strides(dense.m, &PairAxis::c), (Strides{5}));
  EXPECT_EQ(strides(dense.k, &PairAxis::a), (Strides{1}));
  EXPECT_EQ(strides(dense.k, &PairAxis::b), (Strides{5}));
  EXPECT_EQ(strides(dense.n, &PairAxis::b), (Strides{1}));
}

// Two summed axes with a gap in one operand, next to each other in both.
TEST(Gapless, JoinsAxesThatGapsKeepApart) {
  const Pair pair = pair_of({{6, 100, 0, 1}}, {}, {{3, 20, 5, 0}, {5, 1, 1, 0}});
  const Gapless gapless(pair);
  EXPECT_TRUE(gapless.joined(0));
  const Pair dense = gapless.pair();
  ASSERT_EQ(dense.k.size(), 1u);
  EXPECT_EQ(dense.k[0].size, 15);
  EXPECT_EQ(dense.k[0].a, 1);
  EXPECT_EQ(strides(dense.m, &PairAxis::a), (Strides{15}));
}

TEST(Gapless, DoesNotJoinAxesWithAnotherBetween) {
  const Pair pair = pair_of({{6, 5, 0, 1}}, {}, {{3, 30, 5, 0}, {5, 1, 1, 0}});
  EXPECT_FALSE(Gapless(pair).joined(0));
  EXPECT_EQ(Gapless(pair).pair().k.size(), 2u);
  // In the other order in the second operand.
  EXPECT_FALSE(Gapless(pair_of({}, {}, {{3, 5, 1, 0}, {5, 1, 3, 0}})).joined(0));
}

TEST(Gapless, KeepsRepeatsAndElementsThatAreNotSideBySide) {
  const Pair pair = pair_of({{3, 0, 0, 1}}, {}, {{4, 9, 0, 0}, {5, 3, 3, 0}});
  const Pair dense = Gapless(pair).pair();
  EXPECT_EQ(strides(dense.m, &PairAxis::a), (Strides{0}));
  EXPECT_EQ(strides(dense.k, &PairAxis::a), (Strides{10, 2}));
  EXPECT_EQ(strides(dense.k, &PairAxis::b), (Strides{0, 2}));
}

TEST(Gapless, TurnsAxesForwardsButForTheInnermost) {
  const Pair pair = pair_of({{3, -8, 0, 1}}, {}, {{4, -1, 2, 0}});
  const Pair dense = Gapless(pair).pair();
  EXPECT_EQ(strides(dense.m, &PairAxis::a), (Strides{4}));
  EXPECT_EQ(strides(dense.k, &PairAxis::a), (Strides{-1}));
  EXPECT_FALSE(Gapless(pair).unchanged());
}

TEST(Gapless, EqualStridesStayEqual) {
  const Pair pair = pair_of({}, {}, {{4, 1, 7, 0}, {5, 1, 1, 0}});
  const Pair dense = Gapless(pair).pair();
  EXPECT_EQ(strides(dense.k, &PairAxis::a), (Strides{1, 1}));
  EXPECT_EQ(strides(dense.k, &PairAxis::b), (Strides{5, 1}));
}

TEST(LongestSum, ComesLastWithAllOfItsParts) {
  // 6 x 4 are one axis but for gaps, and longer than 9.
  const Pair pair = pair_of({{2, 1000, 0, 1}}, {}, {{6, 80, 5, 0}, {4, 20, 1, 0}, {9, 1, 50, 0}});
  AxisList k;
  ASSERT_TRUE(longest_sum_last(pair, k));
  ASSERT_EQ(k.size(), 3);
  EXPECT_EQ(k[0].size, 9);
  EXPECT_EQ(k[1].size, 6);
  EXPECT_EQ(k[2].size, 4);
}

}  // namespace
}  // namespace tenfold::einsum_detail
