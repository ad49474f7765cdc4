// Gaps in memory change no bit, wherever they are: random equations of two and three operands with
// several axes of a kind, in any order of the axes, once without gaps and then with them behind
// every axis but the innermost of each operand and of the result.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "bits_problems.hpp"
#include "support/layout.hpp"
#include "support/target.hpp"

namespace tenfold::testing {
namespace {

struct RandomEquation {
  std::vector<std::string> terms;  // the result's is the last
  std::vector<std::int64_t> sizes;

  std::string text() const {
    std::string text;
    for (std::size_t i = 0; i + 1 < terms.size(); ++i) text += (i == 0 ? "" : ",") + terms[i];
    return text + "->" + terms.back();
  }
};

class EinsumGaps : public EinsumBitsFixture {
 protected:
  Dims shuffled(int count) {
    Dims order;
    for (int i = 0; i < count; ++i) order.push_back(i);
    for (int i = count; i > 1; --i)
      std::swap(order[i - 1], order[static_cast<int>(random_.below(i))]);
    return order;
  }
  void shuffle(std::string& text) {
    const std::string from = text;
    const Dims order = shuffled(static_cast<int>(text.size()));
    for (int i = 0; i < order.size(); ++i)
      text[static_cast<std::size_t>(i)] = from[static_cast<std::size_t>(order[i])];
  }

  // Up to two labels in every pair of terms or more, so that there are batches, free axes and sums.
  RandomEquation random_equation() {
    constexpr std::int64_t kMostElements = 40000;
    RandomEquation e;
    const std::int64_t operands = random_.below(8) == 0 ? 3 : 2;
    e.terms.resize(static_cast<std::size_t>(operands) + 1);
    std::int64_t all = 1;
    // Of two operands in every other equation few results, and sums of any length.
    const bool long_sums = random_.below(2) == 0;
    for (int tries = 0; tries < 7; ++tries) {
      constexpr std::int64_t kSizes[] = {2, 3, 4, 5, 8, 15, 16, 33, 130, 600};
      const std::int64_t size = kSizes[random_.below(long_sums ? 10 : 7)];
      // In which terms: not in one operand alone, which would be summed by itself.
      const std::int64_t members = 1 + random_.below((std::int64_t{2} << operands) - 1);
      const bool in_result = (members >> operands & 1) != 0;
      if (!in_result && (members & (members - 1)) == 0) continue;
      if ((members & ((std::int64_t{1} << operands) - 1)) == 0) continue;
      if (all * size > kMostElements) continue;
      all *= size;
      const auto label = static_cast<char>('a' + e.sizes.size());
      e.sizes.push_back(size);
      for (std::size_t i = 0; i < e.terms.size(); ++i)
        if ((members >> i & 1) != 0) e.terms[i] += label;
    }
    for (std::string& term : e.terms) shuffle(term);
    return e;
  }

  // random_operands() counts extents by the order in which the labels come.
  std::vector<Tensor> operands_of(const RandomEquation& e) {
    std::vector<Tensor> operands;
    for (std::size_t i = 0; i + 1 < e.terms.size(); ++i) {
      Dims shape;
      for (const char label : e.terms[i])
        shape.push_back(e.sizes[static_cast<std::size_t>(label - 'a')]);
      operands.push_back(random_operand(GetParam(), shape, random_));
      if (GetParam() == DType::kF32) put_special_values(operands.back());
    }
    return operands;
  }
  // Zeros of both signs; now and then an infinity or a NaN with a payload.
  void put_special_values(Tensor& x) {
    for (float& value : x.values<float>()) {
      if (random_.below(3) == 0) value = random_.below(2) == 0 ? 0.0f : -0.0f;
      if (random_.below(4000) != 0) continue;
      value = random_.below(2) == 0
                  ? std::numeric_limits<float>::infinity()
                  : std::bit_cast<float>(0x7FC00000u | static_cast<std::uint32_t>(random_.bits()));
    }
  }

  Layout layout_in(const Dims& order, bool gaps) {
    Layout layout{.memory_order = order, .offset = random_.below(9)};
    layout.gaps.resize(order.size(), 0);
    for (int i = 0; gaps && i + 1 < order.size(); ++i)
      layout.gaps[order[i]] = random_.below(3) == 0 ? 0 : 1 + random_.below(40);
    return layout;
  }
};

TEST_P(EinsumGaps, ChangeNoBit) {
  const int rounds = kSanitized ? 100 : 600;
  for (int round = 0; round < rounds; ++round) {
    const RandomEquation e = random_equation();
    const auto operands = operands_of(e);
    std::vector<Dims> orders;
    for (const std::string& term : e.terms)
      orders.push_back(shuffled(static_cast<int>(term.size())));
    const EinsumSpec spec{.equation = e.text()};
    Dims shape;
    for (const char label : e.terms.back())
      shape.push_back(e.sizes[static_cast<std::size_t>(label - 'a')]);
    std::string explained;
    const auto result = [&](bool gaps) {
      std::vector<LaidOut> memory;
      memory.reserve(operands.size());
      std::vector<TensorView> views;
      for (std::size_t i = 0; i < operands.size(); ++i)
        views.push_back(memory.emplace_back(operands[i], layout_in(orders[i], gaps)).view());
      const OutputSpace out(GetParam(), shape, layout_in(orders.back(), gaps));
      const EinsumPlan plan(spec, views, out.view().strides);
      plan.run(views, out.view(), {.executor = &serial_executor()});
      EXPECT_TRUE(out.is_clean());
      explained += plan.explain();
      return Tensor::copy_of(out.view());
    };
    const Tensor expected = result(false);
    for (int i = 0; i < 2; ++i)
      if (!same(result(true), expected, spec.equation + "\n" + explained)) return;
    for (const std::string& target : forcible_targets()) {
      if (target == "SSE4") continue;  // rounds each product
      const ForcedTarget forced(target);
      if (!same(result(round % 2 == 0), expected,
                spec.equation + " on " + target + "\n" + explained))
        return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, EinsumGaps, bits_types(),
                         [](const auto& p) { return std::string(name_of(p.param)); });

}  // namespace
}  // namespace tenfold::testing
