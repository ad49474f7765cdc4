// Who runs the parallel pieces of a plan. oneTBB by default; a host may lend its own threads.
// A result never depends on the executor or on how many threads it has (see ARCHITECTURE.md, "Same
// bits").
#pragma once

#include <cstdint>
#include <type_traits>

#include "tenfold/export.hpp"

namespace tenfold {

// A reference to a callable `void(int64_t index)`; the callable outlives the call that takes it.
class TaskRef {
 public:
  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, TaskRef>>>
  TaskRef(F&& f)  // NOLINT(google-explicit-constructor)
      : object_(const_cast<void*>(static_cast<const void*>(&f))),
        call_([](void* o, std::int64_t i) { (*static_cast<std::remove_reference_t<F>*>(o))(i); }) {}
  void operator()(std::int64_t i) const { call_(object_, i); }

 private:
  void* object_;
  void (*call_)(void*, std::int64_t);
};

class TENFOLD_API Executor {
 public:
  virtual ~Executor() = default;
  // How many pieces may run at the same time; at least 1.
  virtual int concurrency() const = 0;
  // Calls task(0) … task(count - 1), each once, in any order and on any threads, with at most
  // `max_threads` at a time; returns when all are done.
  virtual void run(std::int64_t count, int max_threads, TaskRef task) = 0;
};

// The process-wide oneTBB executor; its concurrency is TENFOLD_NUM_THREADS or the number of CPUs.
TENFOLD_API Executor& default_executor();
// Runs everything on the calling thread.
TENFOLD_API Executor& serial_executor();

struct RunOptions {
  int threads = 0;               // most threads to use; 0: as many as the executor has
  Executor* executor = nullptr;  // nullptr: default_executor()
};

}  // namespace tenfold
