#include "core/fold.hpp"

#include <gtest/gtest.h>

namespace tenfold {
namespace {

// Folds a dense row-major tensor reduced over the axes in the mask.
Folded fold_dense(const Dims& shape, std::uint64_t reduced) {
  Dims kept, out;
  for (int a = 0; a < shape.size(); ++a)
    if (!(reduced >> a & 1)) kept.push_back(shape[a]);
  const Dims strides = contiguous_strides(kept);
  for (int a = 0, o = 0; a < shape.size(); ++a) out.push_back(reduced >> a & 1 ? 0 : strides[o++]);
  return fold(shape, contiguous_strides(shape), out, reduced, false);
}

void expect_loop(const Loop& loop, std::int64_t size, std::int64_t in, std::int64_t out,
                 bool reduced) {
  EXPECT_EQ(loop.size, size);
  EXPECT_EQ(loop.in, in);
  EXPECT_EQ(loop.out, out);
  EXPECT_EQ(loop.reduced, reduced);
}

TEST(Fold, NeighboursMerge) {
  const Folded f = fold_dense({2, 3, 4, 5}, 0b1100);
  ASSERT_EQ(f.loops.size(), 2);
  expect_loop(f.loops[0], 6, 20, 1, false);
  expect_loop(f.loops[1], 20, 1, 0, true);
}

TEST(Fold, AlternatingAxesStayApart) {
  const Folded f = fold_dense({2, 3, 4}, 0b010);
  ASSERT_EQ(f.loops.size(), 3);
  expect_loop(f.loops[0], 2, 12, 4, false);
  expect_loop(f.loops[1], 3, 4, 0, true);
  expect_loop(f.loops[2], 4, 1, 1, false);
}

TEST(Fold, SizeOneAxesVanishAndLetTheirNeighboursMerge) {
  const Folded f = fold_dense({2, 1, 3}, 0b010);
  ASSERT_EQ(f.loops.size(), 1);
  expect_loop(f.loops[0], 6, 1, 1, false);
}

TEST(Fold, PermutedAxesAreOrderedByStride) {
  // A transposed view of a 3 x 4 tensor: axis 0 has stride 1.
  const Folded f = fold({4, 3}, {1, 4}, {1, 0}, 0b10, false);
  ASSERT_EQ(f.loops.size(), 2);
  expect_loop(f.loops[0], 3, 4, 0, true);
  expect_loop(f.loops[1], 4, 1, 1, false);
}

TEST(Fold, KeptAxesRunUpwards) {
  const Folded f = fold({4}, {-2}, {1}, 0, false);
  ASSERT_EQ(f.loops.size(), 1);
  expect_loop(f.loops[0], 4, 2, -1, false);
  EXPECT_EQ(f.in_offset, -6);
  EXPECT_EQ(f.out_offset, 3);
}

TEST(Fold, ReducedAxesTurnOnlyWhereOrderIsFree) {
  EXPECT_EQ(fold({4}, {-1}, {0}, 1, false).loops[0].in, -1);
  const Folded f = fold({4}, {-1}, {0}, 1, true);
  EXPECT_EQ(f.loops[0].in, 1);
  EXPECT_EQ(f.in_offset, -3);
}

TEST(Fold, BroadcastAxesGoOutermost) {
  const Folded f = fold({3, 4}, {1, 0}, {4, 1}, 0, false);
  ASSERT_EQ(f.loops.size(), 2);
  EXPECT_EQ(f.loops[0].in, 0);
  EXPECT_EQ(f.loops[1].in, 1);
}

TEST(Fold, ScalarsHaveNoLoops) { EXPECT_TRUE(fold({}, {}, {}, 0, false).loops.empty()); }

}  // namespace
}  // namespace tenfold
