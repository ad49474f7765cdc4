// Orders as NumPy writes them, there and back, and every mistake in one.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "einsum/path.hpp"
#include "einsum/path_testing.hpp"
#include "tenfold/error.hpp"

namespace tenfold::einsum_detail::testing {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

Pairs pairs_of(const EinsumPath& path, int operands) {
  const std::vector<PathStep> steps = steps_of(path, operands);
  expect_tree(steps, static_cast<std::size_t>(operands));
  Pairs all;
  for (const PathStep& step : steps) all.emplace_back(step.left, step.right);
  return all;
}

TEST(PathPositions, PairsAreTakenOutAndTheirResultGoesToTheEnd) {
  EXPECT_EQ(pairs_of({{0, 1}}, 2), (Pairs{{0, 1}}));
  EXPECT_EQ(pairs_of({{1, 0}}, 2), (Pairs{{1, 0}}));
  // [0 1 2 3] -> [0 3 4] -> [3 5] -> [6]
  EXPECT_EQ(pairs_of({{1, 2}, {0, 2}, {0, 1}}, 4), (Pairs{{1, 2}, {0, 4}, {3, 5}}));
}

TEST(PathPositions, OneOperandAloneMovesToTheEnd) {
  EXPECT_EQ(pairs_of({}, 1), Pairs{});
  EXPECT_EQ(pairs_of({{0}}, 1), Pairs{});
  EXPECT_EQ(pairs_of({{0}, {0, 1}, {0, 1}, {0}}, 3), (Pairs{{1, 2}, {0, 3}}));
}

TEST(PathPositions, SeveralAtOnceGoOneAfterTheOther) {
  EXPECT_EQ(pairs_of({{0, 1, 2}}, 3), (Pairs{{0, 1}, {3, 2}}));
  // [0 1 2 3 4] -> 3, 0, 2 -> [1 4 6] -> [7 8]
  EXPECT_EQ(pairs_of({{3, 0, 2}, {0, 1}, {0, 1}}, 5), (Pairs{{3, 0}, {5, 2}, {1, 4}, {6, 7}}));
}

TEST(PathPositions, AMissingEndIsFilledFromLeftToRight) {
  EXPECT_EQ(pairs_of({}, 4), (Pairs{{0, 1}, {4, 2}, {5, 3}}));
  EXPECT_EQ(pairs_of({{1, 2}}, 4), (Pairs{{1, 2}, {0, 3}, {5, 4}}));
}

std::string message_of(const EinsumPath& path, int operands) {
  try {
    steps_of(path, operands);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadArgument);
    return error.what();
  }
  return "no error";
}

TEST(PathPositions, Mistakes) {
  EXPECT_EQ(
      message_of({{0, 3}}, 3),
      "[path] step 0, entry 1: no such position: expected 0 .. 2 (3 operands are left), got 3");
  EXPECT_EQ(
      message_of({{0, 1}, {2, 0}}, 3),
      "[path] step 1, entry 0: no such position: expected 0 .. 1 (2 operands are left), got 2");
  EXPECT_EQ(
      message_of({{0, -1}}, 2),
      "[path] step 0, entry 1: no such position: expected 0 .. 1 (2 operands are left), got -1");
  EXPECT_EQ(message_of({{0, 1}, {0, 1}}, 2),
            "[path] step 1, entry 1: no such position: expected 0 (one operand is left), got 1");
  EXPECT_EQ(message_of({{0, 1, 0}}, 3),
            "[path] step 0, entry 2: a position named twice: expected different positions, got 0");
  EXPECT_EQ(message_of({{0, 1}, {}}, 3),
            "[path] step 1 contracts nothing: expected at least one position, got none");
}

TEST(PathPositions, ThereAndBack) {
  std::mt19937 random(9);
  for (int i = 0; i < 200; ++i) {
    const int operands = 1 + i % 12;
    const Network network = random_network(operands, random);
    const std::vector<PathStep> steps = find_path(network, {}).steps;
    const EinsumPath path = path_of(steps, operands);
    Pairs expected;
    for (const PathStep& step : steps) expected.emplace_back(step.left, step.right);
    EXPECT_EQ(pairs_of(path, operands), expected);
  }
  EXPECT_EQ(path_of({}, 1), EinsumPath{});
  const std::vector<PathStep> steps{{1, 2}, {0, 4}, {3, 5}};
  EXPECT_EQ(path_of(steps, 4), (EinsumPath{{1, 2}, {0, 2}, {0, 1}}));
}

}  // namespace
}  // namespace tenfold::einsum_detail::testing
