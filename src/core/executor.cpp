#include "tenfold/executor.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

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
    tbb::task_arena arena(threads);
    arena.execute([&] {
      tbb::parallel_for(
          std::int64_t{0}, count, [&](std::int64_t i) { task(i); }, tbb::simple_partitioner());
    });
  }

 private:
  int threads_;
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
