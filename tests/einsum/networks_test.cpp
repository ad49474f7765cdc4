// Many operands: whatever the order of contraction, the value is that of the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "support/check.hpp"
#include "support/einsum.hpp"
#include "support/pace.hpp"
#include "tenfold/error.hpp"

namespace tenfold::testing {
namespace {

struct Network {
  std::string equation;
  std::vector<std::int64_t> sizes;  // by label, in the order in which the letters come
};

// Labels in one to four operands each, some twice in one, some in the output; small enough for the
// oracle.
Network random_network(Random& random) {
  const auto count = static_cast<std::size_t>(2 + random.below(6));
  std::vector<std::string> terms(count);
  std::string letters;
  double terms_in_all = 1;
  Network network;
  const std::int64_t labels = 2 + random.below(7);
  for (std::int64_t i = 0; i < labels; ++i) {
    const char letter = static_cast<char>('a' + i);
    const std::int64_t places = 1 + random.below(4);
    for (std::int64_t place = 0; place < places; ++place) {
      std::string& term = terms[static_cast<std::size_t>(random.below(std::ssize(terms)))];
      if (term.size() < 5)
        term.insert(static_cast<std::size_t>(random.below(std::ssize(term) + 1)), 1, letter);
    }
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    network.equation += (i == 0 ? "" : ",") + terms[i];
    for (const char c : terms[i])
      if (letters.find(c) == letters.npos) {
        letters += c;
        std::int64_t size = 1 + random.below(4);
        if (terms_in_all * static_cast<double>(size) > 20000) size = 1;
        terms_in_all *= static_cast<double>(size);
        network.sizes.push_back(size);
      }
  }
  network.equation += "->";
  std::string output = letters;
  for (std::size_t i = output.size(); i > 1; --i)
    std::swap(output[i - 1],
              output[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
  output.resize(static_cast<std::size_t>(random.below(std::ssize(output) + 1)));
  network.equation += output;
  return network;
}

// Two or more of what is left at a time, until one is left; the last step may be missing.
EinsumPath random_path(std::size_t operands, Random& random) {
  EinsumPath path;
  auto left = static_cast<std::int64_t>(operands);
  while (left > 1 && !(left <= 3 && !path.empty() && random.below(4) == 0)) {
    std::vector<int> all(static_cast<std::size_t>(left));
    std::iota(all.begin(), all.end(), 0);
    const auto taken =
        random.below(5) == 0 ? std::min<std::int64_t>(left, 3) : std::min<std::int64_t>(left, 2);
    std::vector<int> step;
    for (std::int64_t i = 0; i < taken; ++i) {
      const auto at = random.below(std::ssize(all));
      step.push_back(all[static_cast<std::size_t>(at)]);
      all.erase(all.begin() + at);
    }
    path.push_back(step);
    left -= taken - 1;
  }
  return path;
}

class EinsumNetworks : public ::testing::TestWithParam<DType> {};

TEST_P(EinsumNetworks, EveryMethodAndAnyPath) {
  Random random(51);
  const int rounds = kSanitized ? 40 : 400;
  int failures = 0;
  for (int round = 0; round < rounds && failures < 5; ++round) {
    const Network network = random_network(random);
    const auto operands = random_operands(network.equation, GetParam(), network.sizes, random);
    const auto views = views_of(operands);
    const auto expect_right = [&](const EinsumSpec& spec, const std::string& how) {
      std::string wrong;
      try {
        wrong = mismatch(network.equation, views, run_plan(spec, views));
      } catch (const Error& e) {
        wrong = problem_string(network.equation, views) + ": " + e.what();
      }
      EXPECT_EQ(wrong, "") << how;
      failures += !wrong.empty();
    };
    for (const std::string_view method : path_methods())
      expect_right({.equation = network.equation, .method = std::string(method)},
                   std::string(method));
    const EinsumPath path = random_path(operands.size(), random);
    std::string text = "path";
    for (const auto& step : path) {
      text += " (";
      for (const int position : step) text += std::to_string(position) + ",";
      text += ")";
    }
    expect_right({.equation = network.equation, .path = path}, text);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, EinsumNetworks,
                         ::testing::Values(DType::kF64, DType::kF32, DType::kF16, DType::kI32,
                                           DType::kI8, DType::kBool, DType::kC128),
                         [](const auto& p) { return std::string(name_of(p.param)); });

// The order that a plan took, given back to it, makes the same plan.
TEST(EinsumPaths, ThePlansOwnPathGivesItsBits) {
  Random random(52);
  for (int round = 0; round < 100; ++round) {
    const Network network = random_network(random);
    const auto operands = random_operands(network.equation, DType::kF32, network.sizes, random);
    const auto views = views_of(operands);
    const EinsumPlan plan({.equation = network.equation}, views);
    const EinsumSpec again{.equation = network.equation, .path = plan.path()};
    EXPECT_EQ(difference(run_plan(again, views), run_plan({.equation = network.equation}, views)),
              "")
        << problem_string(network.equation, views);
    EXPECT_EQ(EinsumPlan(again, views).path(), plan.path());
  }
}

TEST(EinsumPaths, TwoThousandOperands) {
  // A chain of 2 x 2 matrices modulo 2^64, against the product taken one by one.
  constexpr int kOperands = 2000;
  Random random(53);
  std::vector<Tensor> operands;
  std::vector<std::vector<int>> labels;
  std::uint64_t product[2][2] = {{1, 0}, {0, 1}};
  for (int i = 0; i < kOperands; ++i) {
    operands.push_back(random_operand(DType::kI64, {2, 2}, random));
    labels.push_back({i, i + 1});
    const auto m = operands.back().values<std::int64_t>();
    for (auto& row : product) {
      const std::uint64_t x = row[0], y = row[1];
      for (std::size_t j = 0; j < 2; ++j)
        row[j] = x * static_cast<std::uint64_t>(m[j]) + y * static_cast<std::uint64_t>(m[2 + j]);
    }
  }
  const EinsumSpec spec{.labels = labels, .output_labels = std::vector<int>{0, kOperands}};
  const Tensor got = run_plan(spec, views_of(operands));
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(static_cast<std::uint64_t>(got.values<std::int64_t>()[i]), product[i / 2][i % 2]);
}

TEST(EinsumMemoryLimit, IsKeptOrNamed) {
  Random random(54);
  int refused = 0, kept = 0;
  for (int round = 0; round < 150; ++round) {
    const Network network = random_network(random);
    const auto operands = random_operands(network.equation, DType::kF64, network.sizes, random);
    const auto views = views_of(operands);
    const std::int64_t peak = EinsumPlan({.equation = network.equation}, views).cost().peak_memory;
    if (peak <= 8) continue;
    const EinsumSpec exact{.equation = network.equation, .memory_limit = peak};
    EXPECT_LE(EinsumPlan(exact, views).cost().peak_memory, peak);
    const EinsumSpec tight{.equation = network.equation, .memory_limit = peak - 1};
    try {
      const EinsumPlan plan(tight, views);
      EXPECT_LT(plan.cost().peak_memory, peak);
      EXPECT_EQ(mismatch(network.equation, views, run_plan(tight, views)), "");
      ++kept;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kOutOfMemory) << e.what();
      ++refused;
    }
  }
  EXPECT_GT(refused + kept, 20) << "hardly any network has intermediates";
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace tenfold::testing
