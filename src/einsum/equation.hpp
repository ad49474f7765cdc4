// An equation checked against the shapes of its operands: integer labels, one for each axis.
// Made from the text or from the interleaved form; used by the planner.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tenfold/einsum.hpp"

namespace tenfold::einsum_detail {

struct Equation {
  // A label for each axis of each operand: ellipsis axes have labels of their own, the last ones; a
  // label that stands twice in an operand is a diagonal.
  std::vector<std::vector<int>> inputs;
  std::vector<int> output;          // a label for each output axis, none twice
  std::vector<std::int64_t> sizes;  // by label, after broadcasting: an operand's axis may have 1
  std::vector<std::string> names;   // by label, for explain: "i", "…1" for ellipsis axes

  // "ij,jk->ik" from the labels, however it was written; the NumPy dialect reads it back.
  std::string text() const;
};

// Throws Error with the codes kEquation*, kRankTooLarge and kSizeOverflow, all with a place(); the
// types are not looked at (the planner checks them). Linear time in the length of the equation and
// the ranks; large integers of the interleaved form are sorted.
Equation parse_equation(const EinsumSpec& spec, std::span<const Dims> shapes);

// How errors name the operator: the spec's label, or "einsum", "Einsum-28", "Einsum-7".
std::string operator_name(const EinsumSpec& spec);

}  // namespace tenfold::einsum_detail
