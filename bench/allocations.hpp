// Counts what the process asks of the heap, the library included: every malloc and the like passes
// through here. Called by the micro-benchmark.
#pragma once

#include <cstdint>

namespace tenfold::bench {

struct Heap {
  std::int64_t calls = 0;       // allocations since the start
  std::int64_t live_bytes = 0;  // in use now, anonymous mappings included
  std::int64_t peak_bytes = 0;  // the most at any time since reset_peak()
};

Heap heap();
void reset_peak();

}  // namespace tenfold::bench
