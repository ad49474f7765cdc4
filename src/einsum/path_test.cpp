// The table of methods, what orders cost, and the seam's corners.
#include "einsum/path.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "einsum/path_search.hpp"
#include "einsum/path_testing.hpp"
#include "tenfold/error.hpp"

namespace tenfold::einsum_detail::testing {
namespace {

const Network kChain{{{0, 1}, {1, 2}, {2, 3}}, {0, 3}, {10, 20, 30, 5}};  // ab,bc,cd->ad

std::vector<std::pair<int, int>> pairs(std::span<const PathStep> steps) {
  std::vector<std::pair<int, int>> all;
  for (const PathStep& step : steps) all.emplace_back(step.left, step.right);
  return all;
}
using Pairs = std::vector<std::pair<int, int>>;

TEST(Path, CostOfAChain) {
  // 10 20 30 + 10 30 5 multiplications; the intermediate has 10 x 30 elements.
  const std::vector<PathStep> left{{0, 1}, {3, 2}};
  const PathCost cost = cost_of(kChain, left, 8);
  EXPECT_NEAR(cost.log10_flops, std::log10(6000 + 1500), 1e-12);
  EXPECT_NEAR(cost.log2_size, std::log2(300), 1e-12);
  EXPECT_EQ(cost.peak_bytes, 300 * 8);
  // 20 30 5 + 10 20 5.
  const std::vector<PathStep> right{{1, 2}, {0, 3}};
  EXPECT_NEAR(cost_of(kChain, right, 8).log10_flops, std::log10(3000 + 1000), 1e-12);
  EXPECT_EQ(cost_of(kChain, right, 8).peak_bytes, 100 * 8);
}

TEST(Path, CostCountsWhatIsAliveAtATime) {
  // ab,bc,cd,de->ae
  const Network four{{{0, 1}, {1, 2}, {2, 3}, {3, 4}}, {0, 4}, {2, 3, 5, 7, 11}};
  const std::vector<PathStep> tree{{0, 1}, {2, 3}, {4, 5}};  // ac: 10, ce: 55 elements
  EXPECT_EQ(cost_of(four, tree, 4).peak_bytes, 4 * (10 + 55));
  const std::vector<PathStep> chain{{0, 1}, {4, 2}, {5, 3}};  // ac: 10, ad: 14
  EXPECT_EQ(cost_of(four, chain, 4).peak_bytes, 4 * (10 + 14));
}

TEST(Path, LoneLabelsAreSummedFirst) {
  // ax,ay->a: x and y cost nothing here; the step runs over a alone.
  const Network network{{{0, 1}, {0, 2}}, {0}, {10, 1000, 1000}};
  EXPECT_NEAR(find_path(network, {}).cost.log10_flops, 1, 1e-12);
}

TEST(Path, CostsAgreeWithSetsOfLabels) {
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    const int tensors = 2 + i % 9;
    const Network network = random_network(tensors, random);
    // A random tree: any two of the tensors that are left.
    std::vector<int> left(static_cast<std::size_t>(tensors));
    for (int k = 0; k < tensors; ++k) left[static_cast<std::size_t>(k)] = k;
    std::vector<PathStep> steps;
    while (left.size() > 1) {
      std::shuffle(left.begin(), left.end(), random);
      steps.push_back({left[left.size() - 1], left[left.size() - 2]});
      left.pop_back();
      left.back() = tensors + static_cast<int>(steps.size()) - 1;
    }
    const Terms expected = run_steps(network, steps, 8);
    const PathCost cost = cost_of(network, steps, 8);
    EXPECT_NEAR(cost.log10_flops, std::log10(expected.flops), 1e-12);
    EXPECT_NEAR(cost.log2_size, std::log2(expected.largest), 1e-12);
    EXPECT_EQ(static_cast<double>(cost.peak_bytes), expected.peak);
  }
}

TEST(Path, OneOperand) {
  const Network network{{{0, 1}}, {1}, {4, 8}};
  for (std::string_view method : path_methods()) {
    const ContractionPath path = find_path(network, {.method = method, .memory_limit = 1});
    EXPECT_TRUE(path.steps.empty());
    EXPECT_EQ(path.cost.log10_flops, 0);
    EXPECT_EQ(path.cost.log2_size, 3);
    EXPECT_EQ(path.cost.peak_bytes, 0);
  }
}

TEST(Path, TwoOperands) {
  const Network network{{{0, 1}, {1, 2}}, {0, 2}, {10, 20, 30}};
  for (std::string_view method : path_methods()) {
    const ContractionPath path = find_path(network, {.method = method, .memory_limit = 1});
    EXPECT_EQ(pairs(path.steps), (Pairs{{0, 1}}));
    EXPECT_NEAR(path.cost.log10_flops, std::log10(6000), 1e-12);
    EXPECT_EQ(path.cost.peak_bytes, 0);
  }
}

TEST(Path, Methods) {
  EXPECT_EQ(pairs(find_path(kChain, {.method = "left"}).steps), (Pairs{{0, 1}, {3, 2}}));
  for (const char* method : {"auto", "dp", "greedy"})
    EXPECT_EQ(pairs(find_path(kChain, {.method = method}).steps), (Pairs{{1, 2}, {0, 3}}))
        << method;
  const std::vector<std::string_view> names(path_methods().begin(), path_methods().end());
  EXPECT_EQ(names, (std::vector<std::string_view>{"auto", "dp", "greedy", "left"}));
  EXPECT_EQ(path_method_rows().size(), names.size());
}

std::string message_of(const Network& network, const PathOptions& options, ErrorCode code) {
  try {
    find_path(network, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "no error";
}

TEST(Path, UnknownMethods) {
  EXPECT_EQ(message_of(kChain, {.method = "gredy"}, ErrorCode::kUnknownName),
            "[einsum] no such method for the order: expected 'greedy' (the nearest name), got "
            "'gredy'");
  EXPECT_EQ(message_of(kChain, {.method = "simulated"}, ErrorCode::kUnknownName),
            "[einsum] no such method for the order: expected 'auto', 'dp', 'greedy', 'left', got "
            "'simulated'");
}

TEST(Path, AMemoryLimitThatNothingMeets) {
  // bcd from the right is the smaller intermediate: 20 x 5 elements of 4 bytes.
  for (const char* method : {"auto", "dp", "greedy"}) {
    EXPECT_EQ(find_path(kChain, {.method = method, .memory_limit = 400}).cost.peak_bytes, 400);
    EXPECT_EQ(message_of(kChain, {.method = method, .memory_limit = 399}, ErrorCode::kOutOfMemory),
              "[einsum] no order of contraction fits the memory limit: expected 399 bytes of "
              "intermediates, got 400, the lowest peak found");
  }
  // The order from left to right is what it is.
  EXPECT_EQ(message_of(kChain, {.method = "left", .memory_limit = 400}, ErrorCode::kOutOfMemory),
            "[einsum] no order of contraction fits the memory limit: expected 400 bytes of "
            "intermediates, got 1200, the lowest peak found");
}

TEST(Path, FlopsAloneOrWithWhatIsWritten) {
  // ab,bc,cd->ad: 8000 + 8000 multiplications with 2000 elements written in between, or 32 + 16000
  // with 16.
  const Network network{{{0, 1}, {1, 2}, {2, 3}}, {0, 3}, {1000, 4, 2, 4}};
  for (const char* method : {"auto", "dp"}) {
    EXPECT_EQ(pairs(find_path(network, {.method = method, .flops_only = true}).steps),
              (Pairs{{0, 1}, {3, 2}}));
    EXPECT_EQ(pairs(find_path(network, {.method = method}).steps), (Pairs{{1, 2}, {0, 3}}));
  }
}

TEST(Path, ZeroExtents) {
  const Network network{{{0, 1}, {1, 2}, {2, 3}}, {0, 3}, {10, 0, 30, 5}};
  for (std::string_view method : path_methods()) {
    const ContractionPath path = find_path(network, {.method = method});
    expect_tree(path.steps, 3);
    EXPECT_TRUE(std::isfinite(path.cost.log10_flops));
    EXPECT_TRUE(std::isfinite(path.cost.log2_size));
  }
  const std::vector<PathStep> steps{{0, 1}, {3, 2}};
  const PathCost cost = cost_of(network, steps, 4);
  EXPECT_NEAR(cost.log10_flops, std::log10(10 * 30 * 5), 1e-12);  // the second step alone
  const Network nothing{{{0}, {0}, {0}}, {0}, {0}};
  EXPECT_EQ(cost_of(nothing, steps, 4).log10_flops, 0);
  EXPECT_EQ(cost_of(nothing, steps, 4).log2_size, 0);
  EXPECT_EQ(cost_of(nothing, steps, 4).peak_bytes, 0);
}

TEST(Path, EqualCallsGiveEqualOrders) {
  std::mt19937 random(6);
  for (int tensors : {4, 9, 13, 40})
    for (std::string_view method : path_methods()) {
      if (method == "dp" && tensors > kMostSubsetOperands) continue;
      const Network network = random_network(tensors, random);
      const ContractionPath path = find_path(network, {.method = method});
      for (int i = 0; i < 3; ++i)
        EXPECT_EQ(pairs(find_path(network, {.method = method}).steps), pairs(path.steps));
    }
}

std::vector<int> list(std::span<const int> values) { return {values.begin(), values.end()}; }

TEST(Tensors, KnowTheirLabelsAndWhoHasThem) {
  // Label 0 is in all, 1 of extent 1, 5 in one operand alone.
  const Network network{{{0, 1, 2}, {2, 0, 3}, {0, 3, 5, 4}}, {4}, {7, 1, 2, 3, 4, 5}};
  Tensors tensors(network, {});
  EXPECT_EQ(list(tensors.labels(0)), (std::vector<int>{0, 2}));
  EXPECT_EQ(list(tensors.labels(2)), (std::vector<int>{0, 3, 4}));
  EXPECT_EQ(list(tensors.holders(0)), (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(tensors.holds(1, 3));
  EXPECT_FALSE(tensors.holds(0, 3));
  EXPECT_EQ(tensors.size(2).value, 7 * 3 * 4);
  const StepSize size = tensors.contract(0, 1);
  EXPECT_EQ(size.terms.value, 7 * 2 * 3);
  EXPECT_EQ(size.result.value, 7 * 3);
  EXPECT_EQ(list(tensors.labels(3)), (std::vector<int>{0, 3}));
  EXPECT_EQ(list(tensors.holders(0)), (std::vector<int>{2, 3}));
  EXPECT_TRUE(tensors.holders(2).empty());

  const Tensors fewer(network, {.drop_common = true});
  EXPECT_EQ(list(fewer.labels(0)), (std::vector<int>{2}));
  EXPECT_EQ(list(fewer.labels(2)), (std::vector<int>{3, 4}));
}

TEST(Wide, ArithmeticAcrossTheRangeOfDouble) {
  const Wide big(0x1p255), three(3);
  Wide product(1);
  for (int i = 0; i < 100; ++i) product = product * big;
  EXPECT_DOUBLE_EQ(product.log2(), 25500);
  EXPECT_DOUBLE_EQ((product * three * inverse(product)).log2(), std::log2(3));
  EXPECT_DOUBLE_EQ((product + product).log2(), 25501);
  EXPECT_DOUBLE_EQ((product + three).log2(), 25500);
  EXPECT_DOUBLE_EQ((Wide(0x1p255) * Wide(0x1p10) + Wide(0x1p255)).log2(),
                   265 + std::log2(1 + 0x1p-10));
  EXPECT_TRUE(three < product);
  EXPECT_FALSE(product < three);
  EXPECT_TRUE(inverse(product) < three);
  EXPECT_TRUE(Wide() < inverse(product));
  EXPECT_EQ((Wide() + three).value, 3);
  EXPECT_EQ((product * Wide()).value, 0);
  EXPECT_EQ((Wide(0x1p200) * Wide(0x1p200)).clamped(), 0x1p400);
  EXPECT_EQ(product.clamped(), Wide::kHuge);
}

}  // namespace
}  // namespace tenfold::einsum_detail::testing
