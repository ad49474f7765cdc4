// Threads change no bit: with 1, 2, 3 or 7 of them, and with one plan used by many at the same
// time. Run under ThreadSanitizer as well.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "support/bits_fixture.hpp"
#include "support/check.hpp"
#include "support/pace.hpp"
#include "support/problem.hpp"
#include "support/random.hpp"
#include "support/thread_executor.hpp"

namespace tenfold::testing {
namespace {

class Threads : public BitsTest {};

TEST_P(Threads, WhateverTheThreads) {
  ThreadExecutor executor(7);
  for (ReduceOp op : ops()) {
    for (const Dims& shape : {Dims{1, 700001}, Dims{5, 100001}, Dims{100001, 5}, Dims{1000, 333},
                              Dims{40000, 17}, Dims{33, 20000}, Dims{5, 20001}}) {
      if (kSanitized && element_count(shape) > 510000) continue;  // slow, and no other code
      const Tensor x = data(shape, op);
      for (std::int64_t axis : {0, 1}) {
        const ReduceSpec spec{.op = op, .axes = Dims{axis}};
        const Tensor expected = reduce(x, spec, {.threads = 1, .executor = &serial_executor()});
        for (int threads : {1, 2, 3, 7}) {
          if (kSanitized && threads % 2 == 1 && threads < 7) continue;
          const Tensor got = reduce(x, spec, {.threads = threads, .executor = &executor});
          if (!same(got, expected, problem_string(x, spec) + " threads=" + std::to_string(threads)))
            return;
        }
      }
    }
  }
  EXPECT_GT(executor.shared_runs(), 0) << "no work was shared: nothing was tested";
}

TEST_P(Threads, ThreadsAndSeveralAxes) {
  ThreadExecutor executor(7);
  for (ReduceOp op : ops()) {
    if (is_arg(op)) continue;
    const Tensor x = data(Dims{30, 41, 17, 23}, op);
    for (const Dims& axes : {Dims{0, 2}, Dims{1, 3}, Dims{0, 1, 2, 3}, Dims{0, 3}, Dims{1, 2}}) {
      const ReduceSpec spec{.op = op, .axes = axes};
      const Tensor expected = reduce(x, spec, {.threads = 1, .executor = &serial_executor()});
      for (int threads : {2, 3, 7})
        if (!same(reduce(x, spec, {.threads = threads, .executor = &executor}), expected,
                  problem_string(x, spec)))
          return;
    }
  }
  EXPECT_GT(executor.shared_runs(), 0) << "no work was shared: nothing was tested";
}

TEST_P(Threads, APlanIsUsedAgainFromManyThreads) {
  for (ReduceOp op : ops()) {
    const Tensor first = data(Dims{40, 70}, op);
    const Tensor second = data(Dims{40, 70}, op);
    const ReduceSpec spec{.op = op, .axes = Dims{1}};
    const ReducePlan plan(spec, first);
    const Tensor expected_first = reduce(first, spec), expected_second = reduce(second, spec);
    EXPECT_EQ(plan.output_dtype(), expected_first.dtype());
    EXPECT_EQ(plan.output_shape(), expected_first.shape());
    std::vector<std::string> wrong(4);
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < wrong.size(); ++t)
      threads.emplace_back([&, t] {
        Tensor out(plan.output_dtype(), plan.output_shape());
        for (int round = 0; round < 20 && wrong[t].empty(); ++round) {
          const bool odd = (static_cast<int>(t) + round) % 2 == 1;
          plan.run(odd ? second : first, out);
          wrong[t] = difference(out, odd ? expected_second : expected_first);
        }
      });
    threads.clear();
    for (const std::string& text : wrong) EXPECT_EQ(text, "") << name_of(op);
  }
}

// The library's own executor, whose threads stay from call to call.
TEST(DefaultExecutor, GivesTheBitsOfOneThread) {
  Random random(11);
  for (ReduceOp op : all_ops()) {
    if (!is_defined(op, DType::kF32)) continue;
    const Tensor x = random_tensor(DType::kF32, Dims{700, 900}, op, random);
    for (std::int64_t axis : {0, 1}) {
      const ReduceSpec spec{.op = op, .axes = Dims{axis}};
      EXPECT_EQ(difference(reduce(x, spec), reduce(x, spec, {.threads = 1})), "") << name_of(op);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Threads, ::testing::ValuesIn(all_dtypes()),
                         [](const auto& p) { return std::string(name_of(p.param)); });

}  // namespace
}  // namespace tenfold::testing
