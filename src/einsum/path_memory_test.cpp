// The order of the steps of a tree, against every order that the tree allows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "einsum/path_search.hpp"
#include "einsum/path_testing.hpp"

namespace tenfold::einsum_detail::testing {
namespace {

// The lowest peak over every order in which the steps can run: what is alive depends only on which
// steps are done, so the best way to each set of done steps, from smaller sets.
double least_peak(const Network& network, std::span<const PathStep> steps,
                  std::span<const StepSize> sizes) {
  const int operands = static_cast<int>(steps.size()) + 1;
  const auto is_done = [&](std::size_t done, int tensor) {
    return tensor < operands || (done >> (tensor - operands) & 1) != 0;
  };
  const auto bytes = [&](int tensor) {
    const auto step = static_cast<std::size_t>(tensor - operands);
    return tensor < operands || step + 1 == steps.size() ? 0.0 : sizes[step].result.value;
  };
  std::vector<double> least(std::size_t{1} << steps.size(),
                            std::numeric_limits<double>::infinity());
  std::vector<double> alive(least.size());
  least[0] = 0;
  for (std::size_t done = 0; done + 1 < least.size(); ++done) {
    if (std::isinf(least[done])) continue;  // a step without what it needs
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if ((done >> i & 1) != 0 || !is_done(done, steps[i].left) || !is_done(done, steps[i].right))
        continue;
      const std::size_t next = done | std::size_t{1} << i;
      // What the step reads of the network's operands is made just before it.
      double during = alive[done], peak = least[done];
      for (int tensor : {steps[i].left, steps[i].right}) {
        if (tensor >= operands || network.prepared.empty()) continue;
        const PreparedBytes& made = network.prepared[static_cast<std::size_t>(tensor)];
        peak = std::max(peak, during + static_cast<double>(made.making));
        during += static_cast<double>(made.held);
      }
      const double result = bytes(operands + static_cast<int>(i));
      const auto elements = [&](int tensor) {  // of operands: no labels, one
        return tensor < operands ? 1
                                 : sizes[static_cast<std::size_t>(tensor - operands)].result.value;
      };
      const bool sums = sizes[i].result.value < sizes[i].terms.value;
      const double spread = sums ? static_cast<double>(network.spread) *
                                       std::min(elements(steps[i].left), elements(steps[i].right))
                                 : 0;
      peak = std::max(peak, during + spread + result);
      alive[next] = alive[done] + result - bytes(steps[i].left) - bytes(steps[i].right);
      least[next] = std::min(least[next], peak);
    }
  }
  return least.back();
}

TEST(PathMemory, NoOrderOfTheStepsHasALowerPeak) {
  std::mt19937 random(7);
  int interleaved = 0;
  for (int i = 0; i < 2000; ++i) {
    const int operands = 4 + i % 10;
    std::vector<int> left(static_cast<std::size_t>(operands));
    for (int k = 0; k < operands; ++k) left[static_cast<std::size_t>(k)] = k;
    std::vector<PathStep> steps;
    std::vector<StepSize> sizes;
    while (left.size() > 1) {
      std::shuffle(left.begin(), left.end(), random);
      steps.push_back({left[left.size() - 1], left[left.size() - 2]});
      const double result = static_cast<double>(1 + random() % 50);
      sizes.push_back({Wide(result * static_cast<double>(1 + random() % 2)), Wide(result)});
      left.pop_back();
      left.back() = operands + static_cast<int>(steps.size()) - 1;
    }
    Network network;
    network.inputs.resize(static_cast<std::size_t>(operands));
    if (i % 2 == 1) prepare_some(network, random, 60);
    const double expected = least_peak(network, steps, sizes);
    order_for_memory(network, steps, sizes, 1);
    expect_tree(steps, static_cast<std::size_t>(operands));
    ASSERT_EQ(static_cast<double>(peak_of(network, steps, sizes, 1)), expected) << "tree " << i;
    // Steps that use neither of the two before them.
    for (std::size_t k = 2; k < steps.size(); ++k)
      interleaved += std::max(steps[k].left, steps[k].right) < operands + static_cast<int>(k) - 1 &&
                             std::max(steps[k].left, steps[k].right) >= operands
                         ? 1
                         : 0;
  }
  EXPECT_GT(interleaved, 0);
}

TEST(PathMemory, TheSameTreeComesBack) {
  // Sizes and steps move together: the costs that are counted afterwards are the ones that moved.
  std::mt19937 random(8);
  for (int i = 0; i < 100; ++i) {
    const Network network = random_network(8, random);
    std::vector<PathStep> steps{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 10}, {9, 11}, {12, 13}};
    std::vector<StepSize> sizes = measure(network, steps);
    const PathCost before = cost_of(network, steps, 4);
    order_for_memory(network, steps, sizes, 4);
    const std::vector<StepSize> again = measure(network, steps);
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      EXPECT_EQ(sizes[k].terms.value, again[k].terms.value);
      EXPECT_EQ(sizes[k].result.value, again[k].result.value);
    }
    EXPECT_NEAR(cost_of(network, steps, 4).log10_flops, before.log10_flops, 1e-12);
    EXPECT_LE(cost_of(network, steps, 4).peak_bytes, before.peak_bytes);
  }
}

}  // namespace
}  // namespace tenfold::einsum_detail::testing
