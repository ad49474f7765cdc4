// Forces the SIMD target named by TENFOLD_TEST_TARGET for a whole test program.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "support/target.hpp"

namespace tenfold::testing {
namespace {

class TargetEnvironment : public ::testing::Environment {
 public:
  void SetUp() override {
    const char* name = std::getenv("TENFOLD_TEST_TARGET");
    if (name == nullptr) return;
    const auto targets = forcible_targets();
    if (std::find(targets.begin(), targets.end(), name) == targets.end())
      GTEST_SKIP() << "this CPU or build has no target " << name;
    forced_.emplace(name);
  }
  void TearDown() override { forced_.reset(); }

 private:
  std::optional<ForcedTarget> forced_;
};

const auto* const kEnvironment = ::testing::AddGlobalTestEnvironment(new TargetEnvironment);

}  // namespace
}  // namespace tenfold::testing
