// Sums of products of two operands as the planner of contractions sees them: plain functions on
// small blocks that read both operands once. Called by src/einsum/dot.cpp and columns.cpp; the SIMD
// lives in dot_kernels.cc and columns_kernels.cc, the list of types in product_kernels.inc.
#pragma once

#include <cstdint>

#include "tenfold/dtype.hpp"

namespace tenfold::kernels {

// sums[r] = sum over i of a[r * a_row + i] * b[r * b_row + i], 0 <= i < n, in the type of
// computation (acc_type). Strides in elements of each operand's own type; b_row = 0: one vector for
// all rows. Products are rounded, then added by the tree of ARCHITECTURE.md, "Same bits": n may be
// cut at multiples of kLeaf * 2^j. A NaN comes out as the canonical one. n >= 1.
using DotFn = void (*)(const void* a, std::int64_t a_row, const void* b, std::int64_t b_row,
                       std::int64_t rows, std::int64_t n, void* sums);

// Terms of a column that are added one after another; such chains are the leaves of a binary tree.
inline constexpr std::int64_t kChain = 128;

// A block of weighted sums of rows of a matrix, in turns that read the same matrix:
//
//   sums[t * sums_turn + r * sums_row + j] =
//       sum over k of w(t, r, k, j) * m[r * m_row + m_at[k] + j],  0 <= k < count
//
// as one chain of fused multiply-adds in the order of k, 1 <= count <= kChain. The weight is
// w[t * w_turn + r * w_row + w_at[k]] in `scaled`, with + j in `paired`, in the type of
// computation. A NaN comes out as the canonical one.
struct ColumnsBlock {
  const void* m;
  const void* w;
  const std::int64_t *m_at, *w_at;  // elements to the row and to its weight, for each k
  std::int64_t m_row, w_row, w_turn;
  std::int64_t turns, rows, count, columns;
  void* sums;
  std::int64_t sums_row, sums_turn;
};
struct ColumnsFns {
  void (*scaled)(const ColumnsBlock& block);
  void (*paired)(const ColumnsBlock& block);  // nullptr for bytes: convert the matrix first
};

// For the best SIMD target of this CPU (or the one forced, see machine.hpp); nullptr where the
// table has no row: convert an operand to the type of computation first.
DotFn find_dot(DType a, DType b);
const ColumnsFns* find_columns(DType m);

}  // namespace tenfold::kernels
