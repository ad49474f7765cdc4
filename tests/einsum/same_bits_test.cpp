// The same bits for 1, 2, 3 or 7 threads, behind any padding and from any address, and on the
// targets with fused multiply-add.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "support/check.hpp"
#include "support/einsum.hpp"
#include "support/layout.hpp"
#include "support/pace.hpp"
#include "support/target.hpp"
#include "support/thread_executor.hpp"

namespace tenfold::testing {
namespace {

struct Problem {
  const char* equation;
  std::vector<std::int64_t> sizes;
};

// Large enough to be shared between threads, each kind of pair once at least.
const std::vector<Problem> kLarge = {{"ab,bc->ac", {230, 310, 190}},
                                     {"ab,cb->ac", {60, 3000, 70}},
                                     {"ba,bc->ca", {150, 400, 130}},
                                     {"eab,ebc->eac", {12, 70, 40, 90}},
                                     {"eab,ebc->eac", {6000, 4, 5, 6}},
                                     {"bsnh,btnh->bnts", {2, 60, 4, 32, 70}},
                                     {"abcd,cdef->abef", {9, 20, 13, 16, 11, 18}},
                                     {"ab,b->a", {900, 700}},
                                     {"ab,a->b", {900, 700}},
                                     {"a,a->", {500000}},
                                     {"ab,ab->a", {300, 2000}},
                                     {"ab,ab->", {700, 800}},
                                     {"a,b->ab", {600, 700}},
                                     {"ab,ab->ab", {700, 650}},
                                     {"abc,cb->bca", {50, 60, 70}},
                                     {"ab->ba", {800, 700}},
                                     {"abcd->dcba", {20, 24, 28, 32}},
                                     {"ab->b", {900, 500}},
                                     {"ab->a", {500, 900}},
                                     {"a->", {700000}},
                                     {"aab,bc->ca", {60, 300, 200}},
                                     {"ab,bc,cd->ad", {90, 110, 130, 150}},
                                     {"abc,ad,bd->cd", {40, 30, 50, 60}},
                                     {"ab,c->c", {500, 400, 90}}};

// Small ones with odd edges, for what depends on lengths.
std::vector<Problem> small_problems() {
  std::vector<Problem> problems;
  for (const std::int64_t k : {1, 2, 3, 7, 16, 31, 64, 100, 257, 600})
    for (const char* equation : {"ab,bc->ac", "ab,cb->ac", "ba,cb->ca", "eab,ebc->eac"}) {
      problems.push_back({equation, {5, k, 9, 3}});
      problems.push_back({equation, {33, k, 17, 2}});
    }
  for (const std::int64_t k : {1, 3, 15, 16, 33, 200, 1000, 5000})
    for (const char* equation : {"ab,b->a", "ba,b->a", "ab,ab->a", "ba,ba->a", "ab->a", "ba->a",
                                 "ab,ab->", "ab,a->b", "a,b->ab", "ab->ba", "ab,ab->ab"})
      problems.push_back({equation, {7, k}});
  return problems;
}

class EinsumBits : public ::testing::TestWithParam<DType> {
 protected:
  bool same(const Tensor& a, const Tensor& b, const std::string& problem) {
    const std::string wrong = difference(a, b);
    if (wrong.empty()) return true;
    ADD_FAILURE() << problem << ":" << wrong;
    return ++failures_ < kMostFailures;
  }
  Random random_{17};

 private:
  static constexpr int kMostFailures = 5;
  int failures_ = 0;
};

// Under a sanitizer the same code runs on less.
std::vector<std::int64_t> extents_of(const Problem& problem) {
  std::vector<std::int64_t> sizes = problem.sizes;
  if (kSanitized)
    for (std::int64_t& size : sizes) size = size > 16 ? size / 2 : size;
  return sizes;
}

TEST_P(EinsumBits, WhateverTheThreads) {
  ThreadExecutor executor(7);
  for (const Problem& problem : kLarge) {
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

// Rows that do not follow each other, and starts at any element: the order of the axes in memory
// and their neighbours stay.
TEST_P(EinsumBits, WhateverThePaddingAndAlignment) {
  for (const Problem& problem : small_problems()) {
    const auto operands = random_operands(problem.equation, GetParam(), problem.sizes, random_);
    const EinsumSpec spec{.equation = problem.equation};
    const Tensor expected = run_plan(spec, views_of(operands));
    for (int round = 0; round < 3; ++round) {
      std::vector<LaidOut> memory;
      memory.reserve(operands.size());
      std::vector<TensorView> views;
      for (const Tensor& x : operands) {
        Layout layout{.offset = 1 + random_.below(15)};
        for (int axis = 0; axis < x.shape().size(); ++axis)
          layout.gaps.push_back(axis + 1 < x.shape().size() ? random_.below(5) : 0);
        memory.emplace_back(x, layout);
        views.push_back(memory.back().view());
      }
      if (!same(run_plan(spec, views), expected, problem_string(problem.equation, views))) return;
    }
  }
}

// A result elsewhere: strides of the output are no reason for other bits either.
TEST_P(EinsumBits, WhateverTheOutputsPadding) {
  for (const Problem& problem : small_problems()) {
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

TEST_P(EinsumBits, WhateverTheTargetWithFusedMultiplyAdd) {
  for (const auto& problems : {small_problems(), kLarge})
    for (const Problem& problem : problems) {
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

INSTANTIATE_TEST_SUITE_P(Types, EinsumBits,
                         ::testing::Values(DType::kF32, DType::kF64, DType::kF16, DType::kBF16,
                                           DType::kI8, DType::kI32, DType::kI64, DType::kC64),
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
