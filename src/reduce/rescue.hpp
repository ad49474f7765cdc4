// Mean and L2 whose running sum left the range of its type although the result may fit: one slice
// at a time, in extended precision. Called by run.cpp for outputs that a finisher found suspect.
#pragma once

#include <cstddef>

#include "reduce/plan.hpp"

namespace tenfold {

// `in`: the first element of the slice; `out`: its output, rewritten if it may have lost its value.
void rescue(const ReducePlan::Impl& plan, const std::byte* in, std::byte* out);

}  // namespace tenfold
