// How a contraction becomes weighted sums of the rows of a matrix: which operand is the matrix,
// which kept axis its columns, which one its rows of results. Made and run by columns.cpp.
#pragma once

#include "einsum/axis_list.hpp"

namespace tenfold::einsum_detail {

// Sums of a call to the kernel: at most 16 KB, so that they stay in L1 beside what streams by.
inline constexpr std::int64_t kColumnsBytes = 16384;
// Columns of a block that is read more than once (gathered, or shared by rows), and sums where
// every row is gathered: a chain of them stays in L2.
inline constexpr std::int64_t kColumnsFew = 512;
// Terms of the matrix that turns read one after another: they stay in L1.
inline constexpr std::int64_t kTurnBytes = 32768;
// Up to this many bytes of columns the kernel keeps sums in registers and takes rows side by side,
// so many at most.
inline constexpr std::int64_t kNarrowBytes = 512;
inline constexpr std::int64_t kSideBySide = 8;

//   c[unit, turn, row, column] =
//       sum over k of w[unit, turn, row, k, column] * m[unit, row, k, column]
//
// In axes and types, m is a and w is b.
struct ColumnsPlan {
  DType m_type, w_type, c_type, acc;
  bool swapped = false;                 // a and b have changed places
  AxisList units;                       // kept axes around rows and columns
  PairAxis row;                         // kept; kNoAxis if there is none
  PairAxis turn;                        // kept; the matrix repeats along it
  PairAxis column;                      // stride 1 in m (or -1: gathered)
  AxisList k;                           // summed in this order, outermost first
  bool paired = false;                  // w has a weight for each column, too
  bool pack_m = false, pack_w = false;  // gathered into dense memory of type acc
  double cost = 0;                      // nanoseconds on one thread

  bool packs() const { return pack_m || pack_w; }
  bool packs_blocks() const { return pack_m || (pack_w && paired); }
  bool packs_rows() const { return pack_m || (pack_w && paired && row.b != 0); }
  // One summed axis: every chain of a sum steps alike.
  bool regular() const { return k.size() == 1; }
  std::int64_t tile_columns() const;
  std::int64_t tile_rows(std::int64_t columns) const;
  std::int64_t tile_turns(std::int64_t columns, std::int64_t rows) const;
};

// How the positions of a unit are cut: rows, columns and turns of a piece, and how many pieces
// there are of each. It follows the threads; the sums don't follow it.
struct ColumnsTiling {
  std::int64_t rows, columns, turns, down, across, deep;
  std::int64_t pieces() const { return down * across * deep; }
  std::int64_t sums() const { return rows * columns * turns; }
};
ColumnsTiling tiling_of(const ColumnsPlan& plan, int threads);

// Whether there is a way: an axis is kept that is contiguous in an operand.
bool accepts_columns(const Pair& pair);
// The cheapest way; false if there is none. Depends on shapes, strides and types alone.
bool plan_columns(const Pair& pair, ColumnsPlan& plan);

}  // namespace tenfold::einsum_detail
