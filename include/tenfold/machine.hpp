// What the machine can do: the SIMD target in use, threads, and measured limits.
// Called by `tenfold info` and by the benchmark, which reports every row against these limits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tenfold/export.hpp"

namespace tenfold {

// The SIMD target that run-time dispatch chose, as Highway names it: "AVX3", "AVX2", "SSE4".
TENFOLD_API std::string simd_target();
// Every target compiled in that this CPU supports, best first.
TENFOLD_API std::vector<std::string> simd_targets();

// The best rate of several plain read loops over `bytes` at `data`, one thread, in bytes per
// second. Reads the bytes `rounds` times with each loop; touches nothing else.
TENFOLD_API double measure_read_bandwidth(const void* data, std::int64_t bytes, int rounds);
// Fused multiply-adds on registers, one thread, in floating-point operations per second (an FMA is
// two).
TENFOLD_API double measure_fma_peak_f32();

}  // namespace tenfold
