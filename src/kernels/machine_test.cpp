#include "tenfold/machine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/probe.hpp"
#include "tenfold/error.hpp"

namespace tenfold {
namespace {

TEST(Machine, TheTargetInUseIsTheBestOfThoseSupported) {
  const auto targets = simd_targets();
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(simd_target(), targets.front());
  for (const auto& name : targets) EXPECT_NE(name, "");
}

// The exclusive or of all bytes is right only when every byte is read, and an odd number of times.
TEST(Machine, EveryReadLoopReadsEveryByteOnce) {
  std::vector<std::uint8_t> data(100000 + 64);
  std::uint32_t state = 12345;
  for (auto& byte : data) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  for (const std::int64_t bytes : {0, 1, 63, 64, 255, 256, 2047, 8192, 8193, 65536, 99999}) {
    for (const int offset : {0, 1, 16, 63}) {
      std::uint8_t expected = 0;
      for (std::int64_t i = 0; i < bytes; ++i) {
        expected ^= data[static_cast<std::size_t>(offset + i)];
      }
      for (int loop = 0; loop < probe::kReadLoops; ++loop) {
        EXPECT_EQ(probe::read_once(loop, data.data() + offset, bytes), expected)
            << probe::kReadLoopNames[loop] << ", " << bytes << " bytes at offset " << offset;
      }
    }
  }
}

TEST(Machine, BandwidthIsARate) {
  const std::vector<std::uint8_t> data(1 << 20, 1);
  const double rate = measure_read_bandwidth(data.data(), 1 << 20, 3);
  EXPECT_GT(rate, 1e7);
  EXPECT_LT(rate, 1e13);
}

TEST(Machine, BandwidthOfNothingIsAnError) {
  const std::uint8_t byte = 1;
  const auto code = [](auto&& call) {
    try {
      call();
    } catch (const Error& e) {
      return e.code();
    }
    return ErrorCode::kFile;
  };
  EXPECT_EQ(code([&] { measure_read_bandwidth(&byte, 0, 1); }), ErrorCode::kBadArgument);
  EXPECT_EQ(code([&] { measure_read_bandwidth(&byte, 1, 0); }), ErrorCode::kBadArgument);
  EXPECT_EQ(code([&] { measure_read_bandwidth(nullptr, 1, 1); }), ErrorCode::kNullData);
}

TEST(Machine, TheBurstCountsItsOperationsAndStaysFinite) {
  float sink = 0;
  const std::int64_t one = probe::fma_burst(1, &sink);
  EXPECT_GT(one, 0);
  EXPECT_EQ(probe::fma_burst(1000, &sink), 1000 * one);
  EXPECT_TRUE(std::isfinite(sink));
  EXPECT_GT(measure_fma_peak_f32(), 1e8);
}

}  // namespace
}  // namespace tenfold
