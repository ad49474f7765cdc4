// The error that ARCHITECTURE.md states for the exponential of LogSumExp, measured on each SIMD
// target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/exp2_test.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include <cmath>

#include "kernels/ops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

// The largest relative error of e^x over x = 0 .. -80, less what the argument's own rounding may
// cost.
template <class T>
double WorstExcess(double polynomial, double per_unit) {
  const hn::ScalableTag<T> d;
  constexpr size_t N = hn::MaxLanes(d);
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    HWY_ALIGN T x[N], y[N];
    for (size_t l = 0; l < N; ++l) x[l] = static_cast<T>(-80.0 * (i * N + l) / (20000.0 * N));
    const auto t = hn::Mul(hn::Load(d, x), hn::Set(d, static_cast<T>(kLog2E)));
    hn::Store(Exp2(d, t), d, y);
    for (size_t l = 0; l < N; ++l) {
      const long double exact = std::exp(static_cast<long double>(x[l]));
      const auto error =
          static_cast<double>(std::fabs(static_cast<long double>(y[l]) - exact) / exact);
      // Half a unit for the rounding of the result itself.
      const double allowed = polynomial + std::fabs(static_cast<double>(x[l])) * per_unit +
                             static_cast<double>(std::numeric_limits<T>::epsilon()) * 2;
      worst = std::max(worst, error / allowed);
    }
  }
  return worst;
}
double WorstF32() { return WorstExcess<float>(7.5e-8, 1.3e-7); }
double WorstF64() { return WorstExcess<double>(3.1e-18, 2.3e-16); }

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

namespace tenfold::kernels {
HWY_EXPORT(WorstF32);
HWY_EXPORT(WorstF64);

void expect_within_bound(double (*call)()) {
  for (int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
    hwy::SetSupportedTargetsForTest(targets & -targets);
    EXPECT_LE(call(), 1.0) << hwy::TargetName(targets & -targets);
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST(Exp2, ErrorBoundHoldsInF32) {
  expect_within_bound([] { return HWY_DYNAMIC_DISPATCH(WorstF32)(); });
}
TEST(Exp2, ErrorBoundHoldsInF64) {
  expect_within_bound([] { return HWY_DYNAMIC_DISPATCH(WorstF64)(); });
}

}  // namespace tenfold::kernels
#endif
