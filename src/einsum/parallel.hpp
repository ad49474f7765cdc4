// How kernels of contractions use threads and scratch memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tenfold/executor.hpp"

namespace tenfold::einsum_detail {

// Work below this stays on the calling thread.
inline constexpr double kWorkPerThreadNs = 20000;

// Threads worth using for `work_ns` of one thread's time in at most `pieces` pieces.
inline int threads_for(const RunOptions& options, double work_ns, std::int64_t pieces) {
  Executor& executor = options.executor != nullptr ? *options.executor : default_executor();
  std::int64_t threads = executor.concurrency();
  if (options.threads > 0) threads = std::min<std::int64_t>(threads, options.threads);
  threads = std::min({threads, pieces, static_cast<std::int64_t>(work_ns / kWorkPerThreadNs)});
  return static_cast<int>(std::max<std::int64_t>(threads, 1));
}

// Calls task(0) … task(count - 1) on up to `threads` threads; on the calling thread if that is 1.
inline void run_pieces(const RunOptions& options, int threads, std::int64_t count, TaskRef task) {
  if (threads <= 1 || count <= 1) {
    for (std::int64_t i = 0; i < count; ++i) task(i);
    return;
  }
  Executor& executor = options.executor != nullptr ? *options.executor : default_executor();
  executor.run(count, threads, task);
}

// The most scratch a piece may take.
inline constexpr std::size_t kPieceScratch = std::size_t{8} << 20;
// This thread's scratch, page aligned, at least so many bytes; kept between calls and given out
// once at a time: a piece takes it, uses it, and calls no executor meanwhile. Throws
// std::bad_alloc.
std::byte* piece_scratch(std::size_t bytes);

}  // namespace tenfold::einsum_detail
