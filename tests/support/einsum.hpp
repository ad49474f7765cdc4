// Einsum problems for the whole-library tests: equations whose letters are labels, operands that
// suit them, and the comparison of a result with the oracle by the rule book's error bounds.
// Called by the tests in tests/einsum.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "einsum/reference.hpp"
#include "support/random.hpp"
#include "tenfold/einsum.hpp"

namespace tenfold::testing {

// "ab,bc->ac": one letter a label, always with an arrow, no ellipsis, no spaces. Read without the
// library's own parser.
EinsumLabels labels_of(std::string_view equation);
std::vector<std::string> split_terms(std::string_view equation);  // "ab", "bc"

// Numbers around 1 that no sum loses, any integers, as many trues as falses.
Tensor random_operand(DType dtype, const Dims& shape, Random& random);
// One for each term; extents by label, in the order in which the letters come.
std::vector<Tensor> random_operands(std::string_view equation, DType dtype,
                                    std::span<const std::int64_t> sizes, Random& random);
std::vector<TensorView> views_of(std::span<const Tensor> tensors);

// "einsum 'ab,bc->ac' dt=f32 shapes=2x3,3x4 strides=3x1,1x3".
std::string problem_string(std::string_view equation, std::span<const TensorView> operands);

// Empty when `got`, dense, is a right result for `equation`; else the problem and the first wrong
// elements. Operands of another type than `got` must be exact in it.
std::string mismatch(std::string_view equation, std::span<const TensorView> operands,
                     const Tensor& got);

// What EinsumPlan gives, into a row-major tensor.
Tensor run_plan(const EinsumSpec& spec, std::span<const TensorView> operands,
                const RunOptions& options = {.executor = &serial_executor()});

// Every type that an equation takes in the NumPy dialect, all of them.
std::vector<DType> einsum_dtypes();

}  // namespace tenfold::testing
