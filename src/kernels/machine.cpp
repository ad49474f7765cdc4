#include "tenfold/machine.hpp"

#include <algorithm>
#include <chrono>

#include "kernels/probe.hpp"
#include "tenfold/error.hpp"

namespace tenfold {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Enough bytes between two looks at the clock that looking costs nothing.
constexpr std::int64_t kBytesPerLook = std::int64_t{4} << 20;

}  // namespace

std::string simd_target() { return std::string(probe::chosen_target()); }

std::vector<std::string> simd_targets() {
  const auto names = probe::supported_targets();
  return {names.begin(), names.end()};
}

double measure_read_bandwidth(const void* data, std::int64_t bytes, int rounds) {
  constexpr const char* kWhere = "measure_read_bandwidth";
  if (bytes <= 0) {
    throw Error(ErrorCode::kBadArgument, kWhere, "nothing to read", "bytes of 1 or more",
                std::to_string(bytes));
  }
  if (rounds <= 0) {
    throw Error(ErrorCode::kBadArgument, kWhere, "no rounds", "rounds of 1 or more",
                std::to_string(rounds));
  }
  if (data == nullptr) throw Error(ErrorCode::kNullData, kWhere, "null data", "a buffer", "null");

  const auto group = static_cast<int>(std::clamp<std::int64_t>(kBytesPerLook / bytes, 1, rounds));
  double best = 0;
  std::uint8_t seen = 0;
  for (int loop = 0; loop < probe::kReadLoops; ++loop) {
    for (int done = 0; done < rounds; done += group) {
      const int reads = std::min(group, rounds - done);
      const auto start = Clock::now();
      for (int i = 0; i < reads; ++i) seen ^= probe::read_once(loop, data, bytes);
      const double rate = static_cast<double>(bytes) * reads / seconds_since(start);
      best = std::max(best, rate);
    }
  }
  volatile std::uint8_t keep = seen;  // the reads are needed
  static_cast<void>(keep);
  return best;
}

double measure_fma_peak_f32() {
  constexpr std::int64_t kSteps = 20000;  // about 60 microseconds: the clock rate has time to rise
  constexpr int kBursts = 200;
  double best = 0;
  for (int i = 0; i < kBursts; ++i) {
    float value = 0;
    const auto start = Clock::now();
    const auto operations = static_cast<double>(probe::fma_burst(kSteps, &value));
    best = std::max(best, operations / seconds_since(start));
    volatile float keep = value;
    static_cast<void>(keep);
  }
  return best;
}

}  // namespace tenfold
