// The exact search against every order, against orders found elsewhere, and within a memory limit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "einsum/path_search.hpp"
#include "einsum/path_testing.hpp"
#include "tenfold/error.hpp"

namespace tenfold::einsum_detail::testing {
namespace {

double cost_in_flops(const Terms& terms) { return terms.flops; }
double cost_in_time(const Terms& terms) { return terms.flops + kWriteWeight * terms.written; }

double least_of_all_orders(const Network& network, double (*cost)(const Terms&)) {
  double least = std::numeric_limits<double>::infinity();
  auto visit = [&](const Terms& terms) { least = std::min(least, cost(terms)); };
  for_each_order(Terms(network, 4), visit);
  return least;
}

// More than rounding: costs are sums of whole numbers below 2^53 in the tests.
constexpr double kSlack = 1 + 1e-12;

TEST(PathDp, IsTheBestOfAllOrders) {
  std::mt19937 random(1);
  const int counts[] = {0, 0, 40, 150, 150, 60, 12};  // by operands: an order of 6 is one of 2,700
  for (int tensors = 2; tensors <= 6; ++tensors)
    for (int i = 0; i < counts[tensors]; ++i) {
      const Network network = random_network(tensors, random);
      SCOPED_TRACE(std::to_string(tensors) + " tensors, network " + std::to_string(i));
      for (const bool flops_only : {true, false}) {
        const ContractionPath path = find_path(network, {.method = "dp", .flops_only = flops_only});
        expect_tree(path.steps, network.inputs.size());
        const Terms found = run_steps(network, path.steps);
        const auto cost = flops_only ? cost_in_flops : cost_in_time;
        ASSERT_LE(cost(found), least_of_all_orders(network, cost) * kSlack);
        EXPECT_NEAR(path.cost.log10_flops, std::log10(found.flops), 1e-9);
        EXPECT_NEAR(path.cost.log2_size, std::log2(found.largest), 1e-9);
        EXPECT_EQ(static_cast<double>(path.cost.peak_bytes), found.peak);
      }
    }
}

TEST(PathDp, TakesAnOuterProductWhenItIsCheaper) {
  // The two vectors first: 4 + 40 multiplications; along the labels: 1000 and more.
  const Network network{{{0}, {1}, {0, 1, 2}}, {2}, {2, 2, 1000}};
  const ContractionPath path = find_path(network, {.method = "dp", .flops_only = true});
  EXPECT_EQ(path.steps[0].left, 0);
  EXPECT_EQ(path.steps[0].right, 1);
  EXPECT_NEAR(path.cost.log10_flops, std::log10(4 + 4000), 1e-12);
}

TEST(PathDp, FindsTheLeastKnownOfSmallNetworks) {
  int small = 0;
  for (const KnownNetwork& known : load_networks("networks.jsonl")) {
    if (known.network.inputs.size() > 8) continue;
    SCOPED_TRACE(known.id);
    ++small;
    for (const char* method : {"auto", "dp"}) {
      const ContractionPath path = find_path(known.network, {.method = method, .flops_only = true});
      EXPECT_NEAR(path.cost.log10_flops, known.log10_flops, 1e-4);
    }
  }
  EXPECT_EQ(small, 9);
}

TEST(PathDp, IsNoWorseThanOtherExactSearches) {
  int networks = 0, lower = 0;
  for (const KnownNetwork& known : load_networks("orders.jsonl")) {
    SCOPED_TRACE(known.id);
    const ContractionPath path = find_path(known.network, {.method = "dp", .flops_only = true});
    expect_tree(path.steps, known.network.inputs.size());
    EXPECT_NEAR(path.cost.log10_flops, std::log10(run_steps(known.network, path.steps).flops),
                1e-9);
    EXPECT_LE(path.cost.log10_flops, known.log10_flops + 1e-8);
    ++networks;
    lower += path.cost.log10_flops < known.log10_flops - 1e-8 ? 1 : 0;
  }
  EXPECT_EQ(networks, 40);
  // The other search joins separate parts last, which once is not the best.
  EXPECT_EQ(lower, 1);
}

TEST(PathDp, TheOrderOfTheOperandsChangesNothing) {
  // Not the cost, that is; the greedy tree that bounds the search from 8 operands on is another.
  std::mt19937 random(2);
  for (int i = 0; i < 60; ++i) {
    Network network = random_network(8 + i % 4, random);
    const auto log10_flops = [&] {
      return find_path(network, {.method = "dp", .flops_only = true}).cost.log10_flops;
    };
    const double before = log10_flops();
    for (int k = 0; k < 3; ++k) {
      std::shuffle(network.inputs.begin(), network.inputs.end(), random);
      EXPECT_NEAR(log10_flops(), before, 1e-12) << "network " << i;
    }
  }
}

TEST(PathDp, HugeExtentsDoNotOverflow) {
  // A ring of 10 with 2^62 along each edge and 60 labels more on each tensor that are kept.
  Network network;
  network.inputs.resize(10);
  for (int i = 0; i < 10; ++i) {
    network.sizes.push_back(std::int64_t{1} << 62);
    network.inputs[static_cast<std::size_t>(i)].push_back(i);
    network.inputs[static_cast<std::size_t>((i + 1) % 10)].push_back(i);
  }
  for (int label = 10; label < 610; ++label) {
    network.sizes.push_back(std::numeric_limits<std::int64_t>::max());
    network.inputs[static_cast<std::size_t>(label % 10)].push_back(label);
    network.output.push_back(label);
  }
  const ContractionPath path = find_path(network, {.method = "dp"});
  expect_tree(path.steps, 10);
  // The last step: the output's labels and what is still summed.
  EXPECT_NEAR(path.cost.log2_size, 63.0 * 600, 1e-3);
  EXPECT_GT(path.cost.log10_flops, 63.0 * 600 * std::log10(2.0));
  EXPECT_LT(path.cost.log10_flops, (63.0 * 600 + 62 * 3) * std::log10(2.0));
  EXPECT_EQ(path.cost.peak_bytes, std::numeric_limits<std::int64_t>::max());
}

TEST(PathDp, TooManyOperands) {
  Network network;
  network.inputs.assign(17, {});
  try {
    find_path(network, {.method = "dp"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadArgument);
    EXPECT_STREQ(error.what(),
                 "[einsum] the order 'dp' is not for so many operands: expected at most 16 "
                 "operands, or 'auto' or 'greedy', got 17");
  }
}

struct Bounds {
  double least_peak = std::numeric_limits<double>::infinity();
  double cheapest = std::numeric_limits<double>::infinity();  // with a peak within the limit
};

Bounds bounds_of(const Network& network, double limit) {
  Bounds bounds;
  auto visit = [&](const Terms& terms) {
    bounds.least_peak = std::min(bounds.least_peak, terms.peak);
    if (terms.peak <= limit) bounds.cheapest = std::min(bounds.cheapest, cost_in_time(terms));
  };
  for_each_order(Terms(network, 4), visit);
  return bounds;
}

TEST(PathDp, WithinAMemoryLimitTheCheapestOfAllOrders) {
  std::mt19937 random(3);
  int limited = 0;
  for (int i = 0; i < 200 || limited < 25; ++i) {
    const int tensors = i % 20 == 0 ? 6 : 4 + i % 2;
    Network network = random_network(tensors, random, 12);
    if (i % 3 > 0) prepare_some(network, random, i % 3 == 1 ? 100 : 4000);
    const std::int64_t free_peak = find_path(network, {.method = "dp"}).cost.peak_bytes;
    if (free_peak < 16) continue;
    const double least_peak = bounds_of(network, 0).least_peak;
    SCOPED_TRACE("network " + std::to_string(i));
    for (const std::int64_t limit : {free_peak - 1, static_cast<std::int64_t>(least_peak)}) {
      if (static_cast<double>(limit) < least_peak || limit == 0) continue;
      const ContractionPath path =
          find_path(network, {.method = i % 3 == 0 ? "auto" : "dp", .memory_limit = limit});
      const Terms found = run_steps(network, path.steps);
      ASSERT_LE(found.peak, static_cast<double>(limit));
      ASSERT_LE(cost_in_time(found),
                bounds_of(network, static_cast<double>(limit)).cheapest * kSlack);
      if (limit < free_peak) ++limited;
    }
    if (least_peak < 5) continue;
    try {
      find_path(network,
                {.method = "dp", .memory_limit = static_cast<std::int64_t>(least_peak) - 1});
      FAIL() << "below the least peak of all orders";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kOutOfMemory);
      EXPECT_EQ(error.got(),
                std::to_string(static_cast<std::int64_t>(least_peak)) + ", the lowest peak found");
    }
  }
}

TEST(PathDp, LargerNetworksWithinAMemoryLimit) {
  std::mt19937 random(4);
  int fitted = 0;
  for (int i = 0; i < 40; ++i) {
    // Three edges a tensor: dense enough for many orders of different peaks.
    const unsigned tensors = 9 + static_cast<unsigned>(i) % 4;
    Network network;
    network.inputs.resize(tensors);
    for (int label = 0; label < static_cast<int>(3 * tensors); ++label) {
      network.sizes.push_back(2 + static_cast<int>(random() % 16));
      const unsigned one = random() % tensors,
                     other = (one + 1 + random() % (tensors - 1)) % tensors;
      network.inputs[one].push_back(label);
      network.inputs[other].push_back(label);
      if (random() % 10 == 0) network.output.push_back(label);
    }
    const ContractionPath free = find_path(network, {.method = "dp"});
    const std::int64_t limit = free.cost.peak_bytes / 2;
    try {
      const ContractionPath path = find_path(network, {.method = "dp", .memory_limit = limit});
      EXPECT_LE(run_steps(network, path.steps).peak, static_cast<double>(limit));
      const auto time_of = [&](const ContractionPath& p) {
        return cost_in_time(run_steps(network, p.steps));
      };
      EXPECT_GE(time_of(path) * kSlack, time_of(free));
      ++fitted;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kOutOfMemory);
    }
  }
  EXPECT_GE(fitted, 8);
}

}  // namespace
}  // namespace tenfold::einsum_detail::testing
