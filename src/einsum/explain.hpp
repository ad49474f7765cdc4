// Words and pictures of an einsum plan. Called by EinsumPlan::explain.
#pragma once

#include <string>

#include "einsum/plan.hpp"

namespace tenfold::einsum_detail {

std::string slot_name(const EinsumPlan::Impl& plan, int slot);  // "operand 0", "t1", "output"
std::string step_kind(const Step& step);                        // "block", "sum"
std::string with_unit(double value, const char* unit);          // "1.23 GB"

// The tree of steps, operands at the leaves: for Graphviz, and drawn.
std::string tree_as_dot(const EinsumPlan::Impl& plan);
std::string tree_as_svg(const EinsumPlan::Impl& plan);

}  // namespace tenfold::einsum_detail
