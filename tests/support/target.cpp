#include "support/target.hpp"

#include <hwy/targets.h>

#include <stdexcept>

#include "tenfold/machine.hpp"

namespace tenfold::testing {

std::vector<std::string> forcible_targets() {
  std::vector<std::string> names;
  for (std::int64_t target : hwy::SupportedAndGeneratedTargets())
    names.emplace_back(hwy::TargetName(target));
  return names;
}

ForcedTarget::ForcedTarget(const std::string& name) {
  for (std::int64_t target : hwy::SupportedAndGeneratedTargets())
    if (name == hwy::TargetName(target)) hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  if (simd_target() != name)
    throw std::logic_error("asked for target " + name + ", got " + simd_target());
}

ForcedTarget::~ForcedTarget() {
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace tenfold::testing
