// Products of small matrices straight from strided memory, as the planner of contractions sees
// them: one function for each block of rows and columns that registers hold, each looping over
// products that lie a fixed distance apart. Called by src/einsum; the SIMD lives in small-inl.h.
#pragma once

#include <cstdint>
#include <span>

#include "tenfold/dtype.hpp"

namespace tenfold::kernels {

// Strides in bytes. The elements of a row of b, and of c, lie side by side.
struct SmallArgs {
  std::int64_t k;  // terms of each sum, >= 1
  std::int64_t a_row, a_k, b_k, c_row;
  std::int64_t a_next, b_next, c_next;  // from one product to the next
  std::int64_t rows, columns;           // of c
};

// c = a * b for `count` products, each element one chain of (fused) multiply-adds in k's order from
// zero; `add`: c += a * b, the chain starting from c.
using SmallFn = void (*)(const SmallArgs& args, const void* a, const void* b, void* c,
                         std::int64_t count, bool add);

// The blocks of one width: blocks[r - 1] takes r rows of at most so many columns, and more than
// those of the next narrower width or of one vector less.
struct SmallWidth {
  std::int64_t columns;
  std::span<const SmallFn> blocks;
};

// Products whose a has rows of as many elements as the rows of b and c, 16 bytes in all, with the
// rows of a, and of c, side by side: any number of rows.
struct SmallSquares {
  std::int64_t elements;  // of c in one vector
  SmallFn run;
};

// talls[columns - 1]: so few columns, a dense along k, any number of rows, which become lanes.
inline constexpr std::int64_t kMostTallBytes = 32;  // of a row of c

// Columns of b that are dense along k and lie `stride` bytes apart, as rows of a panel that lie
// `step` elements apart: packed[k * step + column]. Whole vectors are written: up to kTurnSlack
// bytes behind the panel.
inline constexpr std::int64_t kTurnSlack = 64;
using SmallTurnFn = void (*)(const void* b, std::int64_t stride, std::int64_t k,
                             std::int64_t columns, std::int64_t step, void* packed);

struct SmallKernels {
  std::span<const SmallWidth> widths;     // widest first
  std::span<const SmallSquares> squares;  // widest first
  std::span<const SmallFn> talls;
  SmallTurnFn turn;
};

// For f32, f64, i32 or i64 operands and results; nullptr for others.
const SmallKernels* find_small_kernels(DType dtype);

// Dense f16 or bf16 elements to f32; nullptr for other types.
using WidenFn = void (*)(const void* from, std::int64_t count, void* to);
WidenFn find_widen(DType dtype);

}  // namespace tenfold::kernels
