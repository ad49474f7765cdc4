// Runs the tests on another SIMD target than the best one of this CPU. Called by the tests that
// compare targets, and through the environment by every whole-library test:
// TENFOLD_TEST_TARGET=SSE4 forces that target, and skips where the CPU or the build lacks it.
#pragma once

#include <string>
#include <vector>

namespace tenfold::testing {

// The names of the targets that can be forced here, best first.
std::vector<std::string> forcible_targets();

// For the lifetime of the object; not while other threads plan.
class ForcedTarget {
 public:
  explicit ForcedTarget(const std::string& name);
  ~ForcedTarget();
  ForcedTarget(const ForcedTarget&) = delete;
  ForcedTarget& operator=(const ForcedTarget&) = delete;
};

}  // namespace tenfold::testing
