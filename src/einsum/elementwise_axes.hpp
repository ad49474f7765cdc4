// The axes of a copy or product in bytes, and several of them walked as one.
// Called by elementwise_plan.cpp, which chooses them, and elementwise_run.cpp, which walks them.
// Sides: the operands a and b, the output c.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "einsum/pair.hpp"

namespace tenfold::einsum_detail {

enum Side { kA, kB, kC };
using Steps = std::array<std::int64_t, 3>;  // of each side

struct ElementAxis {
  std::int64_t size;
  Steps step;  // bytes
};
using ElementAxes = std::vector<ElementAxis>;

// All axes of a pair, whatever list they are in, forwards in c, outermost in c first, merged.
// `bytes`: of an element; `origin`: where element 0 of axes that now run the other way is.
ElementAxes element_axes(const Pair& pair, const Steps& bytes, Steps& origin);
void flip(ElementAxis& axis, Steps& origin);
// Whether the axes, outermost first, are one dense stretch of a side's elements.
bool is_dense(const ElementAxes& axes, Side side, std::int64_t bytes);
std::int64_t extent(const ElementAxes& axes);

// Axes walked with one index, the last one fastest, in windows of up to `block`.
struct FlatAxis {
  std::int64_t size = 1;     // of all together
  std::int64_t fastest = 1;  // of the last axis
  std::int64_t second = 1;   // of the last but one
  std::int64_t inner = 1;    // of all but the first
  std::int64_t block = 1;
  Steps outer{};       // step of the first axis
  Steps unit{};        // step of the last axis
  bool single = true;  // at most one axis: index i is at i * unit
  // Where elements are, from the first axis' position on, as far as a window may reach that begins
  // before `inner`. Only of sides that need them; of pieces' first elements for those that come in
  // pieces of `fastest`.
  std::array<std::vector<std::int64_t>, 3> offsets;
};
FlatAxis flatten(const ElementAxes& axes);  // outermost first
// Fills offsets[side] for every `each`-th element, and for so many more past a window; `each` is 1
// or the last axis' size.
void make_offsets(FlatAxis& flat, const ElementAxes& axes, Side side, std::int64_t each,
                  std::int64_t more = 0);

}  // namespace tenfold::einsum_detail
