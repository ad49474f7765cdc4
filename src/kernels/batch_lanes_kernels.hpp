// Many products of matrices side by side in memory, as the planner of contractions sees them: each
// lane of a vector is a product of its own. Called by src/einsum; the SIMD lives in
// batch_lanes-inl.h.
#pragma once

#include <cstdint>
#include <span>

#include "tenfold/dtype.hpp"

namespace tenfold::kernels {

// Strides in bytes. An element of a matrix is a vector: the elements at that place of `lanes`
// products.
struct BatchLanesArgs {
  std::int64_t k;  // terms of each sum, >= 1
  std::int64_t a_row, a_k, b_k, b_column, c_row, c_column;
  std::int64_t a_next, b_next, c_next;  // from one block to the next
  std::int64_t lanes;                   // >= 1, at most a vector's
};

// c[i, j] = sum over k of a[i, k] * b[k, j] for `count` blocks, each element one chain of (fused)
// multiply-adds in k's order from zero; `add`: from c.
using BatchLanesFn = void (*)(const BatchLanesArgs& args, const void* a, const void* b, void* c,
                              std::int64_t count, bool add);

// to[i, j] = the vector at from + i * row + j * column, for a matrix of vectors; the vectors of a
// row of `to` lie side by side, its rows to_row apart, all aligned. Strides in bytes.
struct BatchLanesPack {
  std::int64_t row, column, to_row;
  std::int64_t rows, columns, lanes;
};
using BatchLanesPackFn = void (*)(const BatchLanesPack& args, const void* from, void* to);

struct BatchLanesKernels {
  std::int64_t lanes;          // of a vector
  std::int64_t rows, columns;  // of the largest block
  std::span<const BatchLanesFn> blocks;
  BatchLanesPackFn pack;

  BatchLanesFn find(std::int64_t block_rows, std::int64_t block_columns) const {
    return blocks[static_cast<std::size_t>((block_rows - 1) * columns + block_columns - 1)];
  }
};

// For f32, f64, i32 or i64 operands and results; nullptr for others.
const BatchLanesKernels* find_batch_lanes_kernels(DType dtype);

}  // namespace tenfold::kernels
