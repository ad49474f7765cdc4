#include "tenfold/executor.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

namespace tenfold {
namespace {

int threads_from_environment() {
  const char* text = std::getenv("TENFOLD_NUM_THREADS");
  int threads = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), threads);
  return threads > 0 ? threads : tbb::this_task_arena::max_concurrency();
}

class TbbExecutor final : public Executor {
 public:
  TbbExecutor() : threads_(threads_from_environment()) {}
  int concurrency() const override { return threads_; }
  void run(std::int64_t count, int max_threads, TaskRef task) override {
    const int threads = std::clamp(max_threads, 1, threads_);
    if (threads == 1 || count <= 1) {
      for (std::int64_t i = 0; i < count; ++i) task(i);
      return;
    }
    arena_of(threads).execute([&] {
      tbb::parallel_for(
          std::int64_t{0}, count, [&](std::int64_t i) { task(i); }, tbb::simple_partitioner());
    });
  }

 private:
  // An arena for each number of threads that was asked for. They are kept: the workers of a new one
  // would have to be woken for each call.
  tbb::task_arena& arena_of(int threads) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<tbb::task_arena>& arena = arenas_[threads];
    if (!arena) arena = std::make_unique<tbb::task_arena>(threads);
    return *arena;
  }

  const int threads_;
  std::mutex mutex_;
  std::map<int, std::unique_ptr<tbb::task_arena>> arenas_;
};

class SerialExecutor final : public Executor {
 public:
  int concurrency() const override { return 1; }
  void run(std::int64_t count, int, TaskRef task) override {
    for (std::int64_t i = 0; i < count; ++i) task(i);
  }
};

}  // namespace

Executor& default_executor() {
  static TbbExecutor executor;
  return executor;
}

Executor& serial_executor() {
  static SerialExecutor executor;
  return executor;
}

}  // namespace tenfold
