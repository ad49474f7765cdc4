#include "kernels/probe.hpp"

#include <cstddef>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/probe.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tenfold::probe {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kUnit = 256;  // bytes that one stream reads at a time
constexpr std::size_t kLine = 64;

using D = hn::ScalableTag<std::uint64_t>;
using V = hn::Vec<D>;

// Four accumulators: an exclusive or takes a cycle and two loads may finish in each.
struct Sums {
  V a, b, c, d;
};

HWY_INLINE void read_unit(const std::uint8_t* HWY_RESTRICT p, Sums& s) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const auto* q = reinterpret_cast<const std::uint64_t*>(p);
  for (std::size_t i = 0; i < kUnit / sizeof(std::uint64_t); i += 4 * lanes) {
    s.a = hn::Xor(s.a, hn::Load(d, q + i));
    s.b = hn::Xor(s.b, hn::Load(d, q + i + lanes));
    s.c = hn::Xor(s.c, hn::Load(d, q + i + 2 * lanes));
    s.d = hn::Xor(s.d, hn::Load(d, q + i + 3 * lanes));
  }
}

// Reads `step` bytes from each of the streams `gap` bytes apart, the streams taking turns.
template <int kStreams, std::size_t kAhead, int kLocality>
HWY_INLINE void read_streams(const std::uint8_t* HWY_RESTRICT p, std::size_t gap, std::size_t step,
                             Sums& sums) {
  Sums s = sums;
  for (std::size_t at = 0; at < step; at += kUnit) {
    HWY_UNROLL(8)
    for (int stream = 0; stream < kStreams; ++stream) {
      const std::uint8_t* from = p + static_cast<std::size_t>(stream) * gap + at;
      if constexpr (kAhead != 0) {  // past the end a prefetch does nothing
        for (std::size_t line = 0; line < kUnit; line += kLine) {
          __builtin_prefetch(from + kAhead + line, 0, kLocality);
        }
      }
      read_unit(from, s);
    }
  }
  sums = s;
}

std::uint8_t fold_bytes(std::uint64_t x) {
  x ^= x >> 32;
  x ^= x >> 16;
  x ^= x >> 8;
  return static_cast<std::uint8_t>(x);
}

template <int kStreams, std::size_t kGap, std::size_t kAhead, int kLocality>
std::uint8_t read_all(const std::uint8_t* p, std::size_t bytes) {
  std::uint8_t odd = 0;  // the bytes before the first cache line and after the last whole unit
  for (; bytes > 0 && reinterpret_cast<std::uintptr_t>(p) % kLine != 0; ++p, --bytes) odd ^= *p;
  const V zero = hn::Zero(D());
  Sums s{zero, zero, zero, zero};
  if constexpr (kGap != 0) {
    for (; bytes >= kStreams * kGap; p += kStreams * kGap, bytes -= kStreams * kGap) {
      read_streams<kStreams, kAhead, kLocality>(p, kGap, kGap, s);
    }
  } else {
    const std::size_t part = bytes / kStreams / kUnit * kUnit;
    read_streams<kStreams, kAhead, kLocality>(p, part, part, s);
    p += kStreams * part;
    bytes -= kStreams * part;
  }
  for (; bytes >= kUnit; p += kUnit, bytes -= kUnit) read_unit(p, s);
  for (; bytes > 0; ++p, --bytes) odd ^= *p;

  const D d;
  HWY_ALIGN std::uint64_t lanes[HWY_MAX_BYTES / sizeof(std::uint64_t)];
  hn::Store(hn::Xor(hn::Xor(s.a, s.b), hn::Xor(s.c, s.d)), d, lanes);
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) all ^= lanes[i];
  return static_cast<std::uint8_t>(odd ^ fold_bytes(all));
}

std::uint8_t ReadOnce(int loop, const std::uint8_t* data, std::size_t bytes) {
  using Read = std::uint8_t (*)(const std::uint8_t*, std::size_t);
  static constexpr Read kReads[] = {
#define X(name, streams, gap, ahead, locality) &read_all<streams, gap, ahead, locality>,
      TENFOLD_READ_LOOPS(X)
#undef X
  };
  return kReads[loop](data, bytes);
}

// An FMA takes four cycles or five and two may start in each, so ten chains are the least; the
// rest of the registers hold more, which hides what the scheduler loses.
#define TENFOLD_FEW(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define TENFOLD_REST(X) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)
#if HWY_TARGET <= HWY_AVX3
#define TENFOLD_CHAINS(X) TENFOLD_FEW(X) TENFOLD_REST(X)
#else
#define TENFOLD_CHAINS(X) TENFOLD_FEW(X)
#endif

std::int64_t FmaBurst(std::int64_t steps, float* sink) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, 0.999F), addend = hn::Set(d, 1e-3F);  // settles at one
#define X(i) auto acc##i = hn::Set(d, static_cast<float>(i));
  TENFOLD_CHAINS(X)
#undef X
  for (std::int64_t step = 0; step < steps; ++step) {
#define X(i) acc##i = hn::MulAdd(acc##i, factor, addend);
    TENFOLD_CHAINS(X)
#undef X
  }
  auto total = hn::Zero(d);
  std::int64_t chains = 0;
#define X(i)                      \
  total = hn::Add(total, acc##i); \
  ++chains;
  TENFOLD_CHAINS(X)
#undef X
  *sink = hn::GetLane(hn::SumOfLanes(d, total));
  return 2 * steps * chains * static_cast<std::int64_t>(hn::Lanes(d));
}
#undef TENFOLD_CHAINS
#undef TENFOLD_REST
#undef TENFOLD_FEW

const char* ChosenTarget() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::probe
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::probe {

HWY_EXPORT(ReadOnce);
HWY_EXPORT(FmaBurst);
HWY_EXPORT(ChosenTarget);

std::uint8_t read_once(int loop, const void* data, std::int64_t bytes) {
  return HWY_DYNAMIC_DISPATCH(ReadOnce)(loop, static_cast<const std::uint8_t*>(data),
                                        static_cast<std::size_t>(bytes));
}

std::int64_t fma_burst(std::int64_t steps, float* sink) {
  return HWY_DYNAMIC_DISPATCH(FmaBurst)(steps, sink);
}

std::string_view chosen_target() { return HWY_DYNAMIC_DISPATCH(ChosenTarget)(); }

std::vector<std::string_view> supported_targets() {
  std::vector<std::string_view> names;
  // Highway numbers better targets lower.
  for (std::int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1) {
    names.emplace_back(hwy::TargetName(left & -left));
  }
  return names;
}

}  // namespace tenfold::probe
#endif  // HWY_ONCE
