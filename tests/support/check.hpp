// Holds a result against the rule book: exactly where it asks for the exact value, else within the
// error that the summation tree allows, measured against exact arithmetic. Called by the
// whole-library tests.
#pragma once

#include <string>

#include "tenfold/reduce.hpp"

namespace tenfold::testing {

// Empty when `got` is a right result for valid arguments; otherwise the problem string and the
// first wrong elements.
std::string mismatch(const TensorView& input, const ReduceSpec& spec, const Tensor& got);

// Empty when both have the same dtype, shape and bytes.
std::string difference(const Tensor& a, const Tensor& b);

// One element as text: a float with its bits, "-0.5 (0xb800)".
std::string element_text(DType dtype, const void* element);

}  // namespace tenfold::testing
