// The searches behind the table of methods, and what they share.
// Included by the path_*.cpp files.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "einsum/path.hpp"
#include "einsum/path_tensors.hpp"

namespace tenfold::einsum_detail {

// Where errors of orders say they come from; the planner puts the operator before it.
inline constexpr std::string_view kPathWhere = "einsum";

// Rows of the table of methods (PathMethod::find).
std::vector<PathStep> search_subsets(const Network& network, const PathOptions& options);
std::vector<PathStep> search_greedily(const Network& network, const PathOptions& options);
// One run of the greedy search, for a first bound.
std::vector<PathStep> quick_tree(const Network& network, const PathOptions& options);

// Most operands that the exact search takes by itself, and at all.
inline constexpr int kFewOperands = 14, kMostSubsetOperands = 16;

// An element that a step writes costs as much as so many multiplications, for intermediates are
// written to memory and read again, while products are computed in vector registers. One thread of
// a current core multiplies about 500 bytes' worth of elements in the time in which it writes 20
// bytes; both halve together when the elements get wider, so the ratio, rounded to a power of two,
// holds for every type.
inline constexpr double kWriteWeight = 32;
inline double write_weight(const PathOptions& options) {
  return options.flops_only ? 0 : kWriteWeight;
}
// The output is written whatever the order, and not counted.
Wide cost_of_steps(std::span<const StepSize> sizes, double weight);

// Puts the steps of a tree in the order of lowest peak, and their sizes too.
void order_for_memory(const Network& network, std::vector<PathStep>& steps,
                      std::vector<StepSize>& sizes, std::int64_t element_bytes);
// The lowest peak of a tree.
std::int64_t least_peak_of(const Network& network, std::vector<PathStep> steps,
                           std::int64_t element_bytes);

}  // namespace tenfold::einsum_detail
