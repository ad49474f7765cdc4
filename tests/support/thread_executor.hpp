// An executor with threads of its own, more than a small machine has CPUs, so that pieces of work
// finish in every order. Called by the equal-bits tests.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "tenfold/executor.hpp"

namespace tenfold::testing {

class ThreadExecutor final : public Executor {
 public:
  explicit ThreadExecutor(int threads) : threads_(threads) {}
  int concurrency() const override { return threads_; }
  void run(std::int64_t count, int max_threads, TaskRef task) override {
    const std::int64_t threads = std::min<std::int64_t>({count, max_threads, threads_});
    std::atomic<std::int64_t> next = 0;
    const auto work = [&] {
      for (std::int64_t i = next++; i < count; i = next++) {
        task(i);
        ++tasks_;
      }
    };
    std::vector<std::jthread> others;
    for (std::int64_t t = 1; t < threads; ++t) others.emplace_back(work);
    work();
    if (threads > 1) ++shared_runs_;
  }
  std::int64_t tasks() const { return tasks_; }              // run so far
  std::int64_t shared_runs() const { return shared_runs_; }  // calls that used several threads

 private:
  int threads_;
  std::atomic<std::int64_t> tasks_ = 0, shared_runs_ = 0;
};

}  // namespace tenfold::testing
