#include "tenfold/executor.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#ifdef __linux__
#include <sched.h>
#endif

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

// The CPU that the calling thread runs on; -1 where that is not known.
int current_cpu() {
#ifdef __linux__
  return sched_getcpu();
#else
  return -1;
#endif
}

// Moves the calling thread to another one of the CPUs it may use, if there is any.
void leave_cpu([[maybe_unused]] int cpu) {
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  cpu_set_t others = allowed;
  CPU_CLR(static_cast<std::size_t>(cpu), &others);
  if (CPU_COUNT(&others) == 0) return;
  if (sched_setaffinity(0, sizeof others, &others) == 0) {
    sched_setaffinity(0, sizeof allowed, &allowed);
  }
#endif
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
    Lane& lane = lane_of(threads);
    call_workers(lane, threads - 1);
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
    std::atomic<int> caller_cpu{-1};  // where the last run was called
    std::atomic<int> worker_cpu{-1};  // where a worker last looked out
  };

  Lane& lane_of(int threads) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Lane>& lane = lanes_[threads];
    if (!lane) lane = std::make_unique<Lane>(threads);
    return *lane;
  }

  // Linux may wake a worker on the CPU of the thread that calls it, or let both go on there, though
  // another one is idle; the worker then waits for the next tick of the scheduler, longer than most
  // runs. So the caller lets such a worker go first, which steps aside at once (look_out).
  static void call_workers(Lane& lane, int workers) {
    const int cpu = current_cpu();
    lane.caller_cpu.store(cpu, std::memory_order_relaxed);
    const bool asleep = lane.lingering.load(std::memory_order_relaxed) == 0;
    if (asleep) linger(lane, workers);
    if (asleep || (cpu >= 0 && cpu == lane.worker_cpu.load(std::memory_order_relaxed))) {
      std::this_thread::yield();
    }
  }

  // Returns when a run after `run` begins, or the time is over. Leaves the caller's CPU to it.
  static void look_out(Lane& lane, std::uint64_t run) {
    using Clock = std::chrono::steady_clock;
    Clock::duration awake{0};
    auto last = Clock::now();
    bool aside = false;
    do {
      const int cpu = current_cpu();
      lane.worker_cpu.store(cpu, std::memory_order_relaxed);
      if (!aside && cpu >= 0 && cpu == lane.caller_cpu.load(std::memory_order_relaxed)) {
        aside = true;
        leave_cpu(cpu);
      }
      relax();
      const auto now = Clock::now();
      awake += std::min<Clock::duration>(now - last, kLook);
      last = now;
    } while (awake < kLinger && lane.runs.load(std::memory_order_acquire) == run);
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
