// How a contraction becomes dot products of contiguous rows: which axis is summed inside the
// kernel, which one gives the rows of a call, what goes around. Made and run by dot.cpp.
#pragma once

#include "einsum/axis_list.hpp"
#include "einsum/product_sums.hpp"

namespace tenfold::einsum_detail {

// Rows of a call to the kernel; their sums stay in L1.
inline constexpr std::int64_t kDotRows = 1024;
// Elements of an operand that are gathered at a time, and of one row (a whole subtree of the sum).
inline constexpr std::int64_t kDotPacked = 16384;
inline constexpr std::int64_t kDotChunk = 4096;
// The same where it is transposed: so many rows of it that whole cache lines are read at a time;
// and where two to four rows lie element by element side by side.
inline constexpr std::int64_t kDotTurned = 512, kDotTakenApart = 2048;

// The operand whose rows lie side by side and are brought in by transposes. At most one: n is
// contiguous in the other.
enum class Turned { kNone, kA, kB };

//   c[unit, row] = sum over outer, n of a[unit, row, outer, n] * b[unit, row, outer, n]
struct DotPlan {
  DType a_type, b_type, c_type, acc;
  bool swapped = false;  // a and b have changed places; a has stride 1 along n (or -1: gathered)
  AxisList units;        // kept axes around the rows
  // Kept, within a tile of rows: the axis along which the rows of a are the same ones again, so
  // that they come from the first cache. kNoAxis if there is none.
  PairAxis again = kNoAxis;
  PairAxis row;              // kept; kNoAxis if there is none
  AxisList outer;            // summed axes around n, outermost first
  std::uint64_t joined = 0;  // bit i: outer[i] and outer[i + 1] are one axis but for gaps
  PairAxis n;                // of n_axes: their size in all, the strides of the last
  AxisList n_axes;           // one axis but for gaps
  // The kernel's rows are positions of the innermost outer axis, not of a kept one.
  bool batched = false;
  bool pack_a = false, pack_b = false;  // gathered into dense memory of type acc
  Turned turned = Turned::kNone;
  bool apart = false;  // two to four rows, which are all there is: taken apart as they are read
  double cost = 0;     // nanoseconds on one thread

  double row_bytes() const;   // of a, what one sum reads
  std::int64_t tile() const;  // rows of a tile
  bool packs() const { return pack_a || pack_b; }
  bool turns() const { return turned != Turned::kNone; }
  std::int64_t chunk() const {
    return apart ? kDotTakenApart : turns() ? kDotTurned : packs() ? kDotChunk : n.size;
  }
  DType kernel_a() const { return pack_a ? acc : a_type; }
  DType kernel_b() const { return pack_b ? acc : b_type; }
};

// Whether there is a way: an axis is summed that is contiguous in an operand.
bool accepts_dot(const Pair& pair);
// The cheapest way; false if there is none. Depends on shapes, strides and types alone, and n and
// what is one axis on the strides' order alone: they define the tree.
bool plan_dot(const Pair& pair, DotPlan& plan);

}  // namespace tenfold::einsum_detail
