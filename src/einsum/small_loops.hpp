// The loops of a contraction run by small.cpp, in numbers: blocks of registers, strides in bytes,
// chunks of work. Made once from a SmallPlan; called by small.cpp.
#pragma once

#include "einsum/small_plan.hpp"
#include "kernels/small_kernels.hpp"

namespace tenfold::einsum_detail {

// Rows and columns of a part of the product, or products (one of the two is whole).
struct SmallTile {
  std::int64_t rows, columns, products;
};

struct SmallLoops {
  std::int64_t size = 0;     // of an element of the product, in bytes
  PairAxis row{}, term{};    // in bytes
  std::int64_t columns = 0;  // of the product
  AxisList outer, sums;      // in bytes
  bool squares = false;      // whole rows of a side by side in a vector
  std::int64_t panel = 0;    // columns of a block
  std::int64_t block_rows = 0;
  kernels::SmallArgs args[2][2] = {};  // [whole panel, last][whole block of rows, last]
  kernels::SmallFn fns[2][2] = {};
  // The loop inside the kernels goes over blocks of rows, or along this axis (size > 1).
  PairAxis inner{1, 0, 0, 0};
  SmallTile chunk{1, 1, 1};     // of a unit of work
  std::int64_t term_chunk = 1;  // terms that are summed before the next block of the chunk
  // The columns of a chunk are copied side by side first, block by block, a chunk of terms at a
  // time; so many rows at a time pass over them.
  bool packs = false;
  std::int64_t pass_rows = 1;
  kernels::SmallTurnFn turn = nullptr;  // packs them, if b is dense along k
  std::int64_t column_step = 0;         // from a column of b to the next, in bytes
  std::int64_t units = 1, units_per_outer = 1, units_per_piece = 1;
  double work_ns = 0;

  // Units are numbered with the rows fastest, then the columns (or the products), then `outer`.
  std::int64_t row_chunks() const { return ceil_div(row.size, chunk.rows); }
  static std::int64_t ceil_div(std::int64_t x, std::int64_t y) { return (x + y - 1) / y; }
};

SmallLoops make_small_loops(const SmallPlan& plan);

}  // namespace tenfold::einsum_detail
