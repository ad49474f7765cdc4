// Neither threads nor alignment change a bit: 1, 2, 3 or 7 threads, a plan used by many of them,
// any address.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "bits_problems.hpp"
#include "support/layout.hpp"
#include "support/thread_executor.hpp"

namespace tenfold::testing {
namespace {

class EinsumBits : public EinsumBitsFixture {};

TEST_P(EinsumBits, WhateverTheThreads) {
  ThreadExecutor executor(7);
  for (const BitsProblem& problem : kLarge) {
    const auto operands =
        random_operands(problem.equation, GetParam(), extents_of(problem), random_);
    const auto views = views_of(operands);
    const EinsumSpec spec{.equation = problem.equation};
    const Tensor expected = run_plan(spec, views);
    for (const int threads : {1, 2, 3, 7})
      if (!same(run_plan(spec, views, {.threads = threads, .executor = &executor}), expected,
                problem_string(problem.equation, views) + " threads=" + std::to_string(threads)))
        return;
  }
  EXPECT_GT(executor.shared_runs(), 0) << "no work was shared: nothing was tested";
}

// Starts at any element, aligned or not.
TEST_P(EinsumBits, WhateverTheAlignment) {
  for (const BitsProblem& problem : small_problems()) {
    const auto operands = random_operands(problem.equation, GetParam(), problem.sizes, random_);
    const EinsumSpec spec{.equation = problem.equation};
    const Tensor expected = run_plan(spec, views_of(operands));
    std::vector<LaidOut> memory;
    memory.reserve(operands.size());
    std::vector<TensorView> views;
    for (const Tensor& x : operands)
      views.push_back(memory.emplace_back(x, Layout{.offset = 1 + random_.below(15)}).view());
    if (!same(run_plan(spec, views), expected, problem_string(problem.equation, views))) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, EinsumBits, bits_types(),
                         [](const auto& p) { return std::string(name_of(p.param)); });

// The library's own executor, and one plan used by many threads at the same time.
TEST(EinsumThreads, APlanIsUsedAgainFromManyThreads) {
  Random random(8);
  for (const char* equation : {"ab,bc->ac", "ab,bc,cd->da", "ab,ab->a", "abc->ca", "aab,bc->c"}) {
    const std::vector<std::int64_t> sizes = {40, 50, 60, 30};
    const auto first = random_operands(equation, DType::kF32, sizes, random);
    const auto second = random_operands(equation, DType::kF32, sizes, random);
    const auto first_views = views_of(first), second_views = views_of(second);
    const EinsumPlan plan({.equation = equation}, first_views);
    const Tensor expected_first = run_plan({.equation = equation}, first_views);
    const Tensor expected_second = run_plan({.equation = equation}, second_views);
    std::vector<std::string> wrong(4);
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < wrong.size(); ++t)
      threads.emplace_back([&, t] {
        Tensor out(plan.output_dtype(), plan.output_shape());
        for (int round = 0; round < 20 && wrong[t].empty(); ++round) {
          const bool odd = (static_cast<int>(t) + round) % 2 == 1;
          plan.run(odd ? second_views : first_views, out);
          wrong[t] = difference(out, odd ? expected_second : expected_first);
        }
      });
    threads.clear();
    for (const std::string& text : wrong) EXPECT_EQ(text, "") << equation;
  }
}

// One-call einsum shares its plans between threads.
TEST(EinsumThreads, CallsOfManyThreadsShareTheCache) {
  Random random(9);
  const auto operands =
      random_operands("ab,bc->ac", DType::kF64, std::vector<std::int64_t>{8, 9, 10}, random);
  const auto views = views_of(operands);
  std::vector<std::string> wrong(4);
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 200 && wrong[t].empty(); ++round) {
        // Many equations, so that plans are made, found and dropped at the same time.
        const std::string equation = std::string("ab,b") + static_cast<char>('c' + round % 24) +
                                     "->a" + static_cast<char>('c' + round % 24);
        wrong[t] = mismatch(equation, views, einsum({.equation = equation}, views));
      }
    });
  threads.clear();
  for (const std::string& text : wrong) EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace tenfold::testing
