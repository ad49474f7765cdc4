// The memory that a run really asks for, counted at the heap, against the peak that its plan
// states.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "allocations.hpp"
#include "tenfold/einsum.hpp"
#include "tenfold/error.hpp"
#include "tenfold/tensor.hpp"

namespace tenfold {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
// Not intermediates: the scratch of a thread, and the panels that a product packs.
constexpr std::int64_t kScratch = kMiB + 8 * kMiB;

struct Case {
  std::string equation;
  std::vector<Dims> shapes;
};

// Intermediates of 4 to 40 MiB, alive one or two at a time.
const Case kCases[] = {
    {"ab,bc,cd->ad", {{2000, 10}, {10, 3000}, {3000, 4}}},
    {"ia,jb,kc,abc->ijk", {{160, 40}, {160, 40}, {160, 40}, {40, 40, 40}}},
    {"ab,bc,de,ef,cf->adcf", {{60, 30}, {30, 200}, {50, 30}, {30, 180}, {200, 180}}},
    {"abc,cd,de,ef->abf", {{100, 100, 64}, {64, 300}, {300, 300}, {300, 8}}},
};

struct Operands {
  explicit Operands(const Case& c) {
    for (const Dims& shape : c.shapes) {
      tensors.emplace_back(DType::kF32, shape);
      views.push_back(tensors.back().view());
    }
  }
  std::vector<Tensor> tensors;
  std::vector<TensorView> views;
};

// Bytes at the most while the plan runs on one thread, over those in use before.
std::int64_t measured_peak(const EinsumPlan& plan, const Operands& operands) {
  Tensor output(plan.output_dtype(), plan.output_shape());
  bench::reset_peak();
  const std::int64_t before = bench::heap().live_bytes;
  plan.run(operands.views, output.view(), {.threads = 1});
  return bench::heap().peak_bytes - before;
}

TEST(PeakMemory, IsNotAboveThePlan) {
  bool first = true;
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.equation);
    const Operands operands(c);
    const EinsumPlan plan({.equation = c.equation}, operands.views);
    const std::int64_t peak = measured_peak(plan, operands);
    EXPECT_LE(peak, plan.cost().peak_memory + kScratch);
    // Later runs may find memory that earlier ones left.
    if (first) {
      EXPECT_GE(peak, plan.cost().peak_memory);
    }
    first = false;
  }
}

// Orders of lower peak, down to the lowest there is, and one byte less.
TEST(PeakMemory, KeepsALimit) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.equation);
    const Operands operands(c);
    EinsumSpec spec{.equation = c.equation};
    std::int64_t limit = EinsumPlan(spec, operands.views).cost().peak_memory;
    for (int round = 0; round < 10 && limit > 0; ++round) {
      spec.memory_limit = limit;
      try {
        const EinsumPlan plan(spec, operands.views);
        ASSERT_LE(plan.cost().peak_memory, limit);
        EXPECT_LE(measured_peak(plan, operands), limit + kScratch);
        limit = plan.cost().peak_memory - 1;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kOutOfMemory);
        break;
      }
    }
  }
}

// Sums made of the operands just before their steps are in the account, of the search too.
TEST(PeakMemory, TheSearchCountsSumsMadeBefore) {
  const Case c{"abx,bcy,cdz->ad", {{60, 50, 2}, {50, 60, 2}, {60, 50, 2}}};
  const Operands operands(c);
  constexpr std::int64_t kElement = 4, kSum = 60 * 50 * kElement;
  EinsumSpec spec{.equation = c.equation};
  const EinsumPlan plan(spec, operands.views);
  // bc and cd and their product, or ab and bc and theirs: the third sum is not made yet.
  constexpr std::int64_t kProduct = 50 * 50 * kElement;
  EXPECT_EQ(plan.cost().peak_memory, 2 * kSum + kProduct);
  EXPECT_LE(measured_peak(plan, operands), plan.cost().peak_memory + kScratch);
  spec.memory_limit = plan.cost().peak_memory;
  EXPECT_EQ(EinsumPlan(spec, operands.views).cost().peak_memory, spec.memory_limit);
  spec.memory_limit -= 1;
  try {
    EinsumPlan(spec, operands.views).cost();
    FAIL() << "a limit below every order";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kOutOfMemory);
    EXPECT_EQ(error.got(), std::to_string(2 * kSum + kProduct) + ", the lowest peak found");
  }
}

}  // namespace
}  // namespace tenfold
