#include "beside.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "kernels/probe.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace tenfold::bench {
namespace {

constexpr std::int64_t kLine = 64;
// Calls shorter than this are timed several at a time, or the clock would be part of the figure.
constexpr std::int64_t kShortest = 20'000;

#if defined(__x86_64__)
__attribute__((target("clflushopt"))) void flush_lines(const char* p, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += kLine) {
    _mm_clflushopt(const_cast<char*>(p) + at);
  }
  _mm_mfence();
}

bool can_flush() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_CLFLUSHOPT) != 0;
}
#else
void flush_lines(const char*, std::int64_t) {}
bool can_flush() { return false; }
#endif

// Without a flush instruction: so many other bytes that nothing else stays.
void read_something_else() {
  static const std::vector<char> other(std::size_t{256} << 20, 1);
  volatile std::uint8_t keep =
      probe::read_once(0, other.data(), static_cast<std::int64_t>(other.size()));
  static_cast<void>(keep);
}

void evict(Span span) {
  static const bool flushes = can_flush();
  if (!flushes) return read_something_else();
  const auto first = reinterpret_cast<std::uintptr_t>(span.data) / kLine * kLine;
  const auto last =
      reinterpret_cast<std::uintptr_t>(span.data) + static_cast<std::uintptr_t>(span.bytes);
  flush_lines(reinterpret_cast<const char*>(first), static_cast<std::int64_t>(last - first));
}

std::int64_t time_ns(TaskRef call, std::int64_t calls) {
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < calls; ++i) call(0);
  const auto spent = std::chrono::steady_clock::now() - start;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count() / calls;
}

// Cold: nothing of input and output in a cache; otherwise all that a call leaves there.
std::int64_t time_once(TaskRef call, std::int64_t calls, Span input, Span output, bool cold) {
  if (cold) {
    evict(input);
    evict(output);
  } else {
    call(0);
  }
  return time_ns(call, calls);
}

}  // namespace

Beside time_beside_reads(TaskRef kernel, Span input, Span output, int rounds, bool cold) {
  constexpr int kTrials = 3;
  const std::int64_t once = std::max<std::int64_t>(time_ns(kernel, 3), 1);
  const std::int64_t calls = cold ? 1 : std::max<std::int64_t>(1, kShortest / once);
  volatile std::uint8_t keep = 0;  // the reads are needed
  Beside times;
  const auto read = [&](std::int64_t) {
    keep = probe::read_once(times.loop, input.data, input.bytes);
  };

  int best = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int trial = 0; trial < kTrials; ++trial) {
    for (times.loop = 0; times.loop < probe::kReadLoops; ++times.loop) {
      const std::int64_t spent = time_once(read, calls, input, output, cold);
      if (spent < least) {
        least = spent;
        best = times.loop;
      }
    }
  }
  times.loop = best;
  for (int round = 0; round < rounds; ++round) {
    times.kernel_ns.push_back(time_once(kernel, calls, input, output, cold));
    times.read_ns.push_back(time_once(read, calls, input, output, cold));
  }
  return times;
}

}  // namespace tenfold::bench
