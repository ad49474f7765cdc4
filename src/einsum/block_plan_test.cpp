// What block plans choose: orientation, packing, where sums go, how blocks are cut; and that their
// scratch stays within a piece's.
#include "einsum/block_plan.hpp"

#include <gtest/gtest.h>

#include "einsum/block_testing.hpp"
#include "einsum/block_worker.hpp"
#include "einsum/parallel.hpp"

namespace tenfold::einsum_detail {
namespace {

using kernels::PackWay;
using testing::equation_pair;
using testing::product;

BlockPlan plan_of(Pair pair, DType dtype = DType::kF32) {
  pair.a_type = pair.b_type = pair.c_type = dtype;
  fold_pair(pair);
  return make_block_plan(pair);
}

TEST(BlockPlan, ColumnsLieAlongTheOutputsUnitStride) {
  const BlockPlan straight = plan_of(product({200, 300, 100}, "mk", "kn", "mn"));
  EXPECT_FALSE(straight.swapped);
  EXPECT_EQ(straight.rows.extent, 200);
  EXPECT_EQ(straight.columns.extent, 300);
  const BlockPlan turned = plan_of(product({200, 300, 100}, "mk", "kn", "nm"));
  EXPECT_TRUE(turned.swapped);
  EXPECT_EQ(turned.columns.extent, 200);
  for (const BlockPlan& plan : {straight, turned}) EXPECT_FALSE(plan.collected);
}

TEST(BlockPlan, PackingFollowsTheOperandsUnitStride) {
  const BlockPlan plain = plan_of(product({200, 300, 100}, "mk", "kn", "mn"));
  EXPECT_EQ(plain.rows.way, PackWay::kAlongK);
  EXPECT_EQ(plain.columns.way, PackWay::kAlongSlots);
  const BlockPlan other = plan_of(product({200, 300, 100}, "km", "nk", "mn"));
  EXPECT_EQ(other.rows.way, PackWay::kAlongSlots);
  EXPECT_EQ(other.columns.way, PackWay::kAlongK);
  // d is the operand's innermost axis, e the output's.
  const BlockPlan across = plan_of(equation_pair(
      "efbad,cf->abcde", {{'a', 16}, {'b', 24}, {'c', 32}, {'d', 48}, {'e', 48}, {'f', 32}}));
  EXPECT_EQ(across.columns.way, PackWay::kAcross);
  EXPECT_EQ(across.columns.x_step, 48);
  Pair stepped = product({200, 300, 100}, "mk", "kn", "mn");
  for (PairAxes* axes : {&stepped.m, &stepped.n, &stepped.k})
    for (PairAxis& axis : *axes) axis.a *= 2;
  EXPECT_EQ(plan_of(stepped).rows.way, PackWay::kGather);
}

TEST(BlockPlan, SumsAreCollectedWhereTheyCannotBeStoredAtOnce) {
  const Pair pair = product({200, 300, 100}, "mk", "kn", "mn");
  EXPECT_FALSE(plan_of(pair).collected);
  for (const DType narrow : {DType::kF16, DType::kBF16}) {  // stored as the last k is added
    EXPECT_TRUE(plan_of(pair, narrow).narrow);
    EXPECT_FALSE(plan_of(pair, narrow).apart());
    EXPECT_TRUE(plan_of(product({200, 300, 600}, "mk", "kn", "mn"), narrow).apart());
  }
  EXPECT_TRUE(plan_of(pair, DType::kBool).collected);
  EXPECT_TRUE(plan_of(pair, DType::kU8).collected);
  EXPECT_TRUE(plan_of(equation_pair("bik,bkj->ijb", {{'b', 9}, {'i', 50}, {'j', 60}, {'k', 70}}))
                  .collected);
}

TEST(BlockPlan, BlocksOfKDependOnTheProblemAlone) {
  EXPECT_EQ(plan_of(product({200, 300, 512}, "mk", "kn", "mn")).kc, 512);
  EXPECT_EQ(plan_of(product({200, 300, 768}, "mk", "kn", "mn")).kc, 384);
  EXPECT_EQ(plan_of(product({200, 300, 768}, "km", "nk", "nm"), DType::kF64).kc, 384);
  const BlockPlan parts = plan_of(product({100, 100, 40000}, "mk", "kn", "mn"));
  EXPECT_EQ(parts.parts, 8);
  EXPECT_EQ(parts.part_k % parts.kc, 0);
  EXPECT_EQ(plan_of(product({300, 300, 40000}, "mk", "kn", "mn")).parts, 1);
}

TEST(BlockPlan, LargeOutputsAreStreamed) {
  EXPECT_TRUE(plan_of(product({72, 100000, 72}, "km", "kn", "mn")).stream);
  EXPECT_FALSE(plan_of(product({72, 1000, 72}, "km", "kn", "mn")).stream);
  EXPECT_FALSE(plan_of(product({72, 100000, 1024}, "km", "kn", "mn")).stream);
}

TEST(BlockPlan, ScratchFitsAPiece) {
  std::mt19937 random(3);
  const auto size = [&](std::initializer_list<std::int64_t> sizes) {
    return sizes.begin()[random() % sizes.size()];
  };
  for (int i = 0; i < 3000; ++i) {
    const char* equation = std::array{"mk,kn->mn",    "km,nk->nm",   "mk,nkp->mpn",  "knp,mk->mpn",
                                      "bmk,bkn->mnb", "npk,mk->mpn", "npqk,mk->mqpn"}[random() % 7];
    std::map<char, std::int64_t> sizes;
    for (const char label : {'b', 'm', 'n', 'k', 'p', 'q'})
      sizes[label] = size({2, 3, 17, 40, 64, 250, 1000, 5000, 70000});
    for (const DType dtype : {DType::kF32, DType::kF64, DType::kBF16, DType::kI8, DType::kI64}) {
      const BlockPlan plan = plan_of(equation_pair(equation, sizes), dtype);
      ASSERT_LE(block_scratch_bytes(plan), kPieceScratch) << equation;
      ASSERT_GT(plan.cost_ns, 0);
    }
  }
}

}  // namespace
}  // namespace tenfold::einsum_detail
