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
  // A label for each axis of each operand: ellipsis axes have labels of their own; a label that
  // stands twice in an operand is a diagonal.
  std::vector<std::vector<int>> inputs;
  std::vector<int> output;          // a label for each output axis, none twice
  std::vector<std::int64_t> sizes;  // by label, after broadcasting: an operand's axis may have 1
  std::vector<std::string> names;   // by label, for explain: "i", "…1" for ellipsis axes

  // "ij,jk->ik" from the labels, however it was written.
  std::string text() const;
};

// Throws Error with the codes kEquation* and a place(), kTypeNotAllowed or kTypeMismatch never (the
// planner checks types). Linear time in the length of the equation and the ranks.
Equation parse_equation(const EinsumSpec& spec, std::span<const Dims> shapes);

}  // namespace tenfold::einsum_detail
