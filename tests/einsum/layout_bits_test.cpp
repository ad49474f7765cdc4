// What of the memory's layout changes no bit, and on which targets they are the same: the choice of
// kernels, and the order in which each sums, depend on neither.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bits_problems.hpp"
#include "support/layout.hpp"
#include "support/target.hpp"

namespace tenfold::testing {
namespace {

class EinsumLayoutBits : public EinsumBitsFixture {
 protected:
  // Gaps behind any index but of the last axis with more than one, and none between summed axes.
  Layout padded(std::string_view equation, const std::string& term, const Dims& shape) {
    const std::string_view output = equation.substr(equation.find('>') + 1);
    const auto is_summed = [&](int axis) {
      return output.find(term[static_cast<std::size_t>(axis)]) == output.npos;
    };
    Layout layout{.offset = 1 + random_.below(15)};
    layout.gaps.resize(shape.size(), 0);
    bool dense = true;  // nothing yet of the innermost axis
    for (int axis = shape.size() - 1; axis >= 0; --axis) {
      const bool inside = axis + 1 < shape.size() && is_summed(axis) && is_summed(axis + 1);
      if (!dense && !inside) layout.gaps[axis] = random_.below(5);
      dense &= shape[axis] == 1;
    }
    return layout;
  }
};

// Rows that do not follow each other, and starts at any element. What stays is which summed axes
// are neighbours, so that they are one long axis or several, and which axes are dense.
TEST_P(EinsumLayoutBits, WhateverThePaddingAndAlignment) {
  for (const BitsProblem& problem : small_problems()) {
    const auto operands = random_operands(problem.equation, GetParam(), problem.sizes, random_);
    const EinsumSpec spec{.equation = problem.equation};
    const Tensor expected = run_plan(spec, views_of(operands));
    for (int round = 0; round < 3; ++round) {
      std::vector<LaidOut> memory;
      memory.reserve(operands.size());
      std::vector<TensorView> views;
      for (const Tensor& x : operands) {
        const std::string term = split_terms(problem.equation)[memory.size()];
        memory.emplace_back(x, padded(problem.equation, term, x.shape()));
        views.push_back(memory.back().view());
      }
      if (!same(run_plan(spec, views), expected, problem_string(problem.equation, views))) return;
    }
  }
}

// A result elsewhere: strides of the output are no reason for other bits either.
TEST_P(EinsumLayoutBits, WhateverTheOutputsPadding) {
  for (const BitsProblem& problem : small_problems()) {
    const auto operands = random_operands(problem.equation, GetParam(), problem.sizes, random_);
    const auto views = views_of(operands);
    const EinsumSpec spec{.equation = problem.equation};
    const Tensor expected = run_plan(spec, views);
    Layout layout{.offset = 3};
    for (int axis = 0; axis < expected.shape().size(); ++axis)
      layout.gaps.push_back(axis + 1 < expected.shape().size() ? 5 : 0);
    const OutputSpace out(expected.dtype(), expected.shape(), layout);
    EinsumPlan(spec, views, out.view().strides).run(views, out.view());
    EXPECT_TRUE(out.is_clean()) << problem_string(problem.equation, views);
    if (!same(Tensor::copy_of(out.view()), expected, problem_string(problem.equation, views)))
      return;
  }
}

TEST_P(EinsumLayoutBits, WhateverTheTargetWithFusedMultiplyAdd) {
  for (const auto& problems : {small_problems(), kLarge})
    for (const BitsProblem& problem : problems) {
      const auto operands =
          random_operands(problem.equation, GetParam(), extents_of(problem), random_);
      const auto views = views_of(operands);
      const EinsumSpec spec{.equation = problem.equation};
      const Tensor expected = run_plan(spec, views);
      for (const std::string& target : forcible_targets()) {
        if (target == "SSE4") continue;  // rounds each product
        const ForcedTarget forced(target);
        if (!same(run_plan(spec, views), expected,
                  problem_string(problem.equation, views) + " on " + target))
          return;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Types, EinsumLayoutBits, bits_types(),
                         [](const auto& p) { return std::string(name_of(p.param)); });

}  // namespace
}  // namespace tenfold::testing
