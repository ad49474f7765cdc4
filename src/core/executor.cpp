#include "tenfold/executor.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace tenfold {
namespace {

int threads_from_environment() {
  const char* text = std::getenv("TENFOLD_NUM_THREADS");
  int threads = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), threads);
  return threads > 0 ? threads : tbb::this_task_arena::max_concurrency();
}

// Tells the core that it waits in a loop.
void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// After a parallel run a worker looks out for the next one for so long before it sleeps. Calls come
// in bursts (the nodes of a model, the steps of an equation), and to wake a sleeping thread takes
// longer than most of them.
constexpr std::chrono::microseconds kLinger{2000};
// Two looks are less than a microsecond apart; where more lies between them, the thread did not run
// (another program had the core), and that is not counted as time it looked out.
constexpr std::chrono::microseconds kLook{10};

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
    Lane& lane = lane_of(threads);
    lane.runs.fetch_add(1, std::memory_order_release);
    lane.arena.execute([&] {
      tbb::parallel_for(
          std::int64_t{0}, count, [&](std::int64_t i) { task(i); }, tbb::simple_partitioner());
    });
    linger(lane, threads - 1);
  }

 private:
  // An arena for each number of threads that was asked for. They are kept: the workers of a new one
  // would have to be woken for each call.
  struct Lane {
    explicit Lane(int threads) : arena(threads) {}
    tbb::task_arena arena;
    std::atomic<std::uint64_t> runs{0};
    std::atomic<int> lingering{0};
  };

  Lane& lane_of(int threads) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Lane>& lane = lanes_[threads];
    if (!lane) lane = std::make_unique<Lane>(threads);
    return *lane;
  }

  // Returns when a run after `run` begins, or the time is over.
  static void look_out(const Lane& lane, std::uint64_t run) {
    using Clock = std::chrono::steady_clock;
    Clock::duration awake{0};
    auto last = Clock::now();
    while (awake < kLinger && lane.runs.load(std::memory_order_acquire) == run) {
      relax();
      const auto now = Clock::now();
      awake += std::min<Clock::duration>(now - last, kLook);
      last = now;
    }
  }

  // Keeps up to `workers` threads in the arena until a next run begins or the time is over.
  static void linger(Lane& lane, int workers) {
    while (lane.lingering.load(std::memory_order_relaxed) < workers) {
      lane.lingering.fetch_add(1, std::memory_order_relaxed);
      lane.arena.enqueue([&lane, run = lane.runs.load(std::memory_order_relaxed)] {
        look_out(lane, run);
        lane.lingering.fetch_sub(1, std::memory_order_relaxed);
      });
    }
  }

  const int threads_;
  std::mutex mutex_;
  std::map<int, std::unique_ptr<Lane>> lanes_;
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
  static TbbExecutor& executor = *new TbbExecutor;  // never destroyed: workers may outlive main
  return executor;
}

Executor& serial_executor() {
  static SerialExecutor executor;
  return executor;
}

}  // namespace tenfold
