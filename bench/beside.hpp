// A kernel timed beside plain reads of the same bytes, in turn, so that both see the same clock
// rate and the same neighbours. Called by the worker.
#pragma once

#include <cstdint>
#include <vector>

#include "tenfold/executor.hpp"

namespace tenfold::bench {

struct Beside {
  int loop = 0;                         // the fastest of the plain read loops on these bytes
  std::vector<std::int64_t> kernel_ns;  // one per round
  std::vector<std::int64_t> read_ns;    // that loop, right after
};

struct Span {
  const void* data;
  std::int64_t bytes;
};

// `kernel(0)` reads `input` and writes `output`. Cold: nothing of either is in a cache before a
// call. Otherwise as the calls before have left it.
Beside time_beside_reads(TaskRef kernel, Span input, Span output, int rounds, bool cold);

}  // namespace tenfold::bench
