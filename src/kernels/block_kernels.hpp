// The packed block contraction's inner parts: packing strided operands into panels, multiplying
// panels into strided output, and scattering a finished block. Called by src/einsum/block*.cpp.
// The SIMD lives in the .cc files beside this one; block_kernels.inc lists what exists.
//
// One operand gives the *rows* of the output block (its panels are broadcast, element by element),
// the other the *columns* (its panels are read a vector at a time):
//
//   rows    panel of r rows:     [k][r]          columns  panel of 2 vectors:  [k][2 * lanes]
#pragma once

#include <algorithm>
#include <cstdint>

#include "tenfold/dtype.hpp"

namespace tenfold::kernels {

// What packed elements are, and so how they are multiplied and added.
enum class BlockType {
  kF32,
  kF64,
  kI32,
  kI64,
  kPairs,  // two 16-bit integers, neighbours along k, in 32 bits: two products per lane and step
  kBF16,   // likewise two bf16: only where the processor multiplies them at twice the rate of f32
};
constexpr bool is_pairs(BlockType type) {
  return type == BlockType::kPairs || type == BlockType::kBF16;
}

inline constexpr std::int64_t kPanelVectors = 2;
// Packing writes whole vectors: so many bytes past the end of a packed block must exist.
inline constexpr std::int64_t kPackSlack = 256;

// A vector of output columns: where its first lane is stored, counted from the row's start, and
// how many lanes are (the others are computed and dropped).
struct ColumnVector {
  std::int64_t offset, lanes;
};

// Between which biased exponents the bf16 numbers of a panel lie, but for zeros. Decides how panels
// are multiplied (block_bf16-inl.h).
struct BlockSpan {
  std::int32_t least, most;
};

// How rows fall into panels of at most `most`, as evenly as they can.
struct RowPanels {
  std::int64_t count, base, extra;  // the first `extra` panels have base + 1 rows, the others base
  RowPanels(std::int64_t rows, std::int64_t most)
      : count((rows + most - 1) / most), base(rows / count), extra(rows % count) {}
  std::int64_t rows(std::int64_t panel) const { return base + (panel < extra ? 1 : 0); }
  std::int64_t first(std::int64_t panel) const { return panel * base + std::min(panel, extra); }
};

// How an operand's block is read. Slots are the rows, or the lanes of the column vectors.
enum class PackWay {
  kAlongSlots,  // neighbouring slots are mostly neighbours in memory
  kAlongK,      // neighbouring k are: small transposes in registers
  kAcross,      // columns: slots `x_step` apart are mostly neighbours in memory: likewise
  kGather,      // element by element
};

struct PackArgs {
  PackWay way;
  bool far;  // the operand is larger than the L2 cache: worth asking for it ahead
  const void* source;
  const std::int64_t* slots;    // each slot's offset in elements; an empty lane repeats a real one
  std::int64_t count;           // columns: whole vectors
  const ColumnVector* vectors;  // columns: the lanes that are not empty; rows: nullptr
  const std::int64_t* k_offsets;
  std::int64_t k;
  std::int64_t k_run, k_phase;  // kAlongK: the neighbours come in runs so long; where k 0 is in one
  std::int64_t x_step;          // kAcross; `count` is a multiple of it
  void* line;                   // kAcross: room for `count` packed elements and kPackSlack
  void* packed;
  BlockSpan* spans;  // kBF16: of each panel
};
using PackFn = void (*)(const PackArgs& args);

// Elements narrower than the sums, f16 or bf16: finished sums are stored there instead.
struct NarrowOutput {
  DType dtype;
  void* c;
  const std::int64_t* row_offsets;
  const ColumnVector* vectors;
};

// Multiplies packed blocks: c[row + column] (+)= sum over k.
struct MultiplyArgs {
  const void *rows, *columns;                 // packed
  const BlockSpan *row_spans, *column_spans;  // kBF16: of each panel
  std::int64_t k;                             // of the blocks: elements, not pairs
  void* c;
  const std::int64_t* row_offsets;
  std::int64_t row_count;
  const ColumnVector* vectors;
  std::int64_t vector_count;
  bool accumulate;  // add to what c holds
  bool one_chain;   // and do so by going on with those sums, not with new ones
  bool last;        // nothing is added later, and c is the output: NaNs get their canonical bits
  bool rows_outer;  // the loop over panels of rows is outside: c is written in longer pieces; else
                    // that over columns: a panel of these stays in L1, or nearly
  bool stream;      // c is far larger than the caches: store past them where its alignment allows
  const NarrowOutput* narrow;  // if there is one and this is the last of k; c still holds the
                               // sums before, and is not used if there are none
};

struct BlockKernel {
  std::int64_t lanes;  // of a vector
  std::int64_t rows;   // of a panel, at most
  void (*multiply)(const MultiplyArgs& args);
};

// nullptr: not on this processor (kBF16 alone).
const BlockKernel* find_block_kernel(BlockType type);
// nullptr if elements of that type are never packed so.
PackFn find_block_pack(BlockType type, DType source, bool columns);

// Stores `count` finished sums as elements of the output type: c[offsets[i]] = sums[i]. Offsets
// step by one in runs of `run` (1: no runs).
using ScatterFn = void (*)(const void* sums, std::int64_t count, void* c,
                           const std::int64_t* offsets, std::int64_t run);
ScatterFn find_block_scatter(DType output);
// sums[i] += more[i].
using AddFn = void (*)(void* sums, const void* more, std::int64_t count);
AddFn find_block_add(DType acc);

}  // namespace tenfold::kernels
