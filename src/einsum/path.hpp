// The order in which the operands of a network are contracted, two at a time.
// A table of named methods; the planner calls find_path.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tenfold/einsum.hpp"

namespace tenfold::einsum_detail {

// Memory of an operand that is summed or converted just before its step: as the step reads it, and
// the most while it is made.
struct PreparedBytes {
  std::int64_t held = 0, making = 0;
};

// A tensor network: an index set for each operand (no label twice in one), the output's, and the
// extent of each label.
struct Network {
  std::vector<std::vector<int>> inputs;
  std::vector<int> output;
  std::vector<std::int64_t> sizes;
  std::vector<PreparedBytes> prepared = {};  // by operand; empty: none is prepared
  // Complex numbers: a step that sums writes its smaller operand out anew, so many bytes for each
  // element. No label is one operand's alone then.
  std::int64_t spread = 0;
};

// Contract operand `left` with `right`: 0 … n-1 are the network's operands, n + i is the result of
// step i. A label that no other operand and not the output has is summed at the first chance.
struct PathStep {
  int left, right;
};

struct PathCost {
  double log10_flops = 0;  // multiplications: over the steps the sum of the product of the extents
                           // of the union of both operands' labels; labels of one operand alone are
                           // summed first, uncounted
  double log2_size = 0;    // elements of the largest intermediate or output
  std::int64_t peak_bytes = 0;  // intermediates and prepared operands alive at a time (not counted:
                                // the output, and operands as they are given)
};

struct PathOptions {
  std::string_view method = "auto";
  std::int64_t element_bytes = 4;  // of an intermediate
  std::int64_t memory_limit = 0;   // bytes; 0: none
  bool flops_only = false;         // the cost is flops alone, else flops and bytes written
};

struct ContractionPath {
  std::vector<PathStep> steps;  // operands - 1 of them
  PathCost cost;
};

// Deterministic. n >= 1 operands. The steps of the tree stand in the order of lowest peak. Throws
// Error(kOutOfMemory) with the lowest peak found when no order meets the limit, Error(kUnknownName)
// for a method that does not exist.
ContractionPath find_path(const Network& network, const PathOptions& options);
// What a given order costs; the steps must be a full tree.
PathCost cost_of(const Network& network, std::span<const PathStep> steps,
                 std::int64_t element_bytes);

// A given order as steps. A step over three or more positions contracts them as they stand, one
// after the other; one over a single position only moves it to the end; what is left at the end is
// contracted from left to right. Throws Error(kBadArgument) naming the step and the entry.
std::vector<PathStep> steps_of(const EinsumPath& path, int operands);
// The way back: a pair of positions for each step.
EinsumPath path_of(std::span<const PathStep> steps, int operands);

// A row of the table of methods: a stronger search is one more row. The steps may come in any order
// that the tree allows. With a memory limit: the cheapest tree found whose peak, in the best order
// of its steps, is within the limit, or else the one of lowest peak.
struct PathMethod {
  std::string_view name;
  std::vector<PathStep> (*find)(const Network&, const PathOptions&);
};
std::span<const PathMethod> path_method_rows();

}  // namespace tenfold::einsum_detail
