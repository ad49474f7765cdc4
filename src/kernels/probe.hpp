// Plain read loops and an FMA burst: what this machine's memory and arithmetic can give at best.
// Every SIMD target has its own copies; run-time dispatch picks one. Called by machine.cpp (the
// public measurements) and by the benchmark, which times a plain read beside each kernel.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

namespace tenfold::probe {

// X(name, streams, bytes between streams or 0 for equal parts of the buffer, bytes prefetched
// ahead or 0, locality of the prefetch: 3 for L1, 2 for L2)
#define TENFOLD_READ_LOOPS(X)            \
  X("1 stream", 1, 0, 0, 3)              \
  X("1 stream, L2 4K", 1, 0, 4096, 2)    \
  X("1 stream, L1 1K", 1, 0, 1024, 3)    \
  X("4 near", 4, 2048, 0, 3)             \
  X("4 near, L1 16K", 4, 2048, 16384, 3) \
  X("4 near, L2 16K", 4, 2048, 16384, 2) \
  X("4 parts", 4, 0, 0, 3)               \
  X("4 parts, L1 2K", 4, 0, 2048, 3)     \
  X("8 parts", 8, 0, 0, 3)               \
  X("8 parts, L1 2K", 8, 0, 2048, 3)

inline constexpr std::string_view kReadLoopNames[] = {
#define X(name, streams, gap, ahead, locality) name,
    TENFOLD_READ_LOOPS(X)
#undef X
};
inline constexpr int kReadLoops = static_cast<int>(std::size(kReadLoopNames));

// Reads the bytes once with the given loop and returns the exclusive or of all of them, so that
// no load can be left out.
std::uint8_t read_once(int loop, const void* data, std::int64_t bytes);

// Runs `steps` dependent fused multiply-adds on each of enough independent chains to fill the
// units. Returns how many floating-point operations that was (an FMA is two) and leaves a value
// in `sink`, so that the work is needed.
std::int64_t fma_burst(std::int64_t steps, float* sink);

// The target that dispatch chose, and every compiled one that this CPU supports, best first.
std::string_view chosen_target();
std::vector<std::string_view> supported_targets();

}  // namespace tenfold::probe
