// Every SIMD target gives the bits of the best one.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "support/check.hpp"
#include "support/layout.hpp"
#include "support/problem.hpp"
#include "support/random.hpp"
#include "support/target.hpp"

namespace tenfold::testing {
namespace {

constexpr int kMostFailures = 5;

class TargetBits : public ::testing::TestWithParam<DType> {};

struct Problem {
  Tensor tensor;
  Layout layout;
  ReduceSpec spec;
};

std::vector<Problem> problems_of(DType dtype, ReduceOp op, Random& random) {
  std::vector<Problem> problems;
  const auto add = [&](const Dims& shape, std::int64_t axis, const Layout& layout) {
    Tensor x = random_tensor(dtype, shape, op, random);
    if (problems.size() % 3 == 0) sprinkle_specials(x, random);
    problems.push_back({std::move(x), layout,
                        ReduceSpec{.op = op, .axes = Dims{axis}, .select_last_index = axis == 0}});
  };
  for (std::int64_t n : {1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 64, 100, 511, 513, 1025, 4097, 9000}) {
    add(Dims{3, n}, 1, {.offset = n % 4});
    add(Dims{20, n}, 1, {.gaps = {1, 0}});
    add(Dims{3, n}, 1, {.gaps = {0, 1}});
    for (std::int64_t columns : {1, 3, 7, 16, 33, 100})
      if (n * columns < 60000) add(Dims{n, columns}, 0, {.gaps = {n % 3, 0}, .offset = n % 4});
  }
  for (std::int64_t axis : {0, 1, 2, 3})
    add(Dims{6, 7, 8, 9}, axis, {.memory_order = {2, 0, 3, 1}});
  return problems;
}

TEST_P(TargetBits, AreThoseOfTheBestTarget) {
  const std::vector<std::string> targets = forcible_targets();
  ASSERT_FALSE(targets.empty());
  Random random(10);
  for (ReduceOp op : all_ops()) {
    if (!is_defined(op, GetParam())) continue;
    const std::vector<Problem> problems = problems_of(GetParam(), op, random);
    std::vector<Tensor> expected;
    for (const std::string& target : targets) {
      // Without fused multiply-add the exponentials of SSE4 may differ in the last bit.
      if (target == "SSE4" && op == ReduceOp::kLogSumExp) continue;
      const ForcedTarget forced(target);
      int failures = 0;
      for (std::size_t i = 0; i < problems.size() && failures < kMostFailures; ++i) {
        const LaidOut laid(problems[i].tensor, problems[i].layout);
        Tensor got = reduce(laid.view(), problems[i].spec);
        if (target == targets.front()) {
          expected.push_back(std::move(got));
          continue;
        }
        const std::string wrong = difference(got, expected[i]);
        if (wrong.empty()) continue;
        ++failures;
        ADD_FAILURE() << problem_string(laid.view(), problems[i].spec) << ": " << target << " and "
                      << targets.front() << wrong;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, TargetBits, ::testing::ValuesIn(all_dtypes()),
                         [](const auto& p) { return std::string(name_of(p.param)); });

TEST(ForcedTarget, IsUndoneAfterwards) {
  const auto targets = forcible_targets();
  { const ForcedTarget forced(targets.back()); }
  EXPECT_EQ(forcible_targets(), targets);
}

}  // namespace
}  // namespace tenfold::testing
