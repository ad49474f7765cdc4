#include <fmt/format.h>

#include "reduce/plan.hpp"
#include "tenfold/machine.hpp"

namespace tenfold {
namespace {

std::string loops_text(const Loops& loops) {
  if (loops.empty()) return "none";
  std::string text;
  for (const Loop& loop : loops)
    text += fmt::format("{}{} (stride {})", text.empty() ? "" : ", ", loop.size, loop.in);
  return text;
}

}  // namespace

std::string ReducePlan::Impl::explain() const {
  std::string text = fmt::format("{} {}{} -> {}{}\n", label, name_of(in_dtype), to_string(in_shape),
                                 name_of(out_dtype), to_string(out_shape));
  if (work == Work::kNothing) return text + "  nothing to do: the output has no elements\n";
  if (work == Work::kFill)
    return text + "  every output is the value over an empty set: a reduced axis has extent 0\n";

  text += fmt::format("  folded  kept loops: {}; reduced loops: {}\n", loops_text(kept),
                      loops_text(reduced));
  if (shape == Shape::kInner) {
    text += fmt::format(
        "  block   inner: {} rows of {} elements (row stride {}); the innermost axis in "
        "memory is reduced\n",
        width.size, n.size, width.in);
  } else if (n.size == 1 && reduced.empty()) {
    text += fmt::format("  block   element-wise: {} x {} elements; no axis is reduced\n",
                        groups.size, width.size);
  } else {
    text += fmt::format(
        "  block   outer: {} groups of {} rows of {} columns (row stride {}); the innermost "
        "axis in memory is kept\n",
        groups.size, n.size, width.size, n.in);
  }
  text += fmt::format("  kernel  {} on {}, states of {} bytes\n", kernel->name, simd_target(),
                      kernel->state_size);
  if (row.compute != in_dtype)
    text += fmt::format("  packed  elements are converted from {} to {} in cache-sized blocks\n",
                        name_of(in_dtype), name_of(row.compute));
  else if (packed)
    text +=
        "  packed  no kept or reduced axis is contiguous where the kernel wants it: blocks are "
        "gathered "
        "into cache\n";
  else
    text += "  packed  no: the kernel reads the operand where it lies\n";
  text += fmt::format("  tiles   {} x {} states at a time", tile_groups, tile_width);
  if (batch > 1)
    text += fmt::format("; {} positions of the innermost reduced loop in one call", batch);
  if (cut_n) text += fmt::format("; {} elements of the reduced axis gathered at once", cut_n);
  text += row.ordered ? "\n  bits    fixed by the folded extents alone: one tree over the reduced "
                        "axis, cut for threads "
                        "at whole subtrees\n"
                      : "\n  bits    the result does not depend on the order of the elements\n";
  return text;
}

}  // namespace tenfold
