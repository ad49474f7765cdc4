// Small and exhaustive: every set of axes of every permutation of a 4-D view, for every operator
// and every type, against exact arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/check.hpp"
#include "support/problem.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

constexpr int kMostFailures = 5;  // shown for one operator and type

Dims subset(unsigned bits) {
  Dims axes;
  for (int axis = 0; axis < 4; ++axis)
    if (bits >> axis & 1) axes.push_back(axis);
  return axes;
}

class Exhaustive : public ::testing::TestWithParam<DType> {};

TEST_P(Exhaustive, AllAxesOfAllPermutations) {
  const DType dtype = GetParam();
  Random random(4);
  for (ReduceOp op : all_ops()) {
    if (!is_defined(op, dtype)) continue;
    const Tensor base = random_tensor(dtype, Dims{2, 3, 5, 4}, op, random);
    int failures = 0, cases = 0;
    Dims order = {0, 1, 2, 3};
    do {
      const TensorView view = permuted(base.view(), order);
      for (unsigned bits = 0; bits < 16 && failures < kMostFailures; ++bits) {
        ReduceSpec spec{.op = op, .axes = subset(bits), .keepdims = cases++ % 2 == 0};
        if (is_arg(op)) {
          if (spec.axes->size() != 1) continue;
          spec.select_last_index = cases % 3 == 0;
        }
        const std::string wrong = mismatch(view, spec, reduce(view, spec));
        if (wrong.empty()) continue;
        ++failures;
        ADD_FAILURE() << wrong;
      }
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(cases, 24 * 16);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Exhaustive, ::testing::ValuesIn(all_dtypes()),
                         [](const auto& p) { return std::string(name_of(p.param)); });

}  // namespace
}  // namespace tenfold::testing
