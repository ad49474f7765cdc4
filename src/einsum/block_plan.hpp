// How a packed block contraction is laid out: which operand gives the rows and which the columns of
// the output block, how each is packed, and how the loops are cut. Made by block_plan.cpp, carried
// out by block_run.cpp; called by block.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "einsum/pair.hpp"
#include "kernels/block_kernels.hpp"

namespace tenfold::einsum_detail {

// A loop over an operand's kept axis.
struct BlockAxis {
  std::int64_t size, source, target;  // strides in the operand and in c
};

struct BlockSide {
  std::vector<BlockAxis> axes;  // outermost first
  std::int64_t extent = 1;
  DType dtype = DType::kF32;
  kernels::PackWay way = kernels::PackWay::kGather;
  kernels::PackFn pack = nullptr;
  bool far = false;         // larger than the L2 cache
  std::int64_t k_run = 1;   // kAlongK: so many neighbours along k are neighbours in memory
  std::int64_t x_step = 1;  // kAcross
};

struct BlockPlan {
  // c[batch, rows, columns]; the columns are those of `b`, or of `a` if swapped.
  bool swapped = false;
  PairAxes batch;
  BlockSide rows, columns;
  PairAxes k;  // .a: stride in the rows' operand, .b: in the columns'
  std::int64_t batches = 1, k_extent = 1;
  std::int64_t rows_base = 0, columns_base = 0, c_base = 0;  // of element (0, …, 0), after flips

  kernels::BlockType type = kernels::BlockType::kF32;
  const kernels::BlockKernel* kernel = nullptr;
  DType acc = DType::kF32, c_type = DType::kF32;

  // Columns fall into runs whose elements lie side by side in c; vectors don't cross them.
  std::int64_t run = 1, run_vectors = 1, vectors = 1;
  // Sums are first collected in a dense block and then converted or scattered into c.
  bool collected = false;
  // c is narrower than the sums, and they become its elements as the last k is added.
  bool narrow = false;
  std::int64_t c_run = 1;  // collected: so many columns at a time lie side by side in c

  // Blocks: of k, rows, column vectors; of the collected sums; and independent parts of k.
  std::int64_t kc = 1, mc = 1, nc = 1;
  std::int64_t grain = kernels::kPanelVectors;  // columns are cut at multiples of so many vectors
  std::int64_t apart_rows = 1, apart_vectors = 1;  // several blocks of columns
  std::int64_t parts = 1, part_k = 1;
  bool rows_outer = false, stream = false, one_chain = false;  // see MultiplyArgs

  double cost_ns = 0;

  std::int64_t lanes() const { return kernel->lanes; }
  std::int64_t acc_bytes() const { return static_cast<std::int64_t>(size_of(acc)); }
  // Of a packed element; pairs of integers are given more than they take.
  std::int64_t packed_bytes() const { return type == kernels::BlockType::kBF16 ? 2 : acc_bytes(); }
  // Sums lie in a block of their own until the last k is added.
  bool apart() const { return collected || (narrow && kc < k_extent); }
};

// The cheaper of both orientations.
BlockPlan make_block_plan(const Pair& pair);

// What a plan takes on one thread, in nanoseconds.
double block_cost_ns(const BlockPlan& plan);
// What a pair would take with AVX-512: the choice of the kernel, and with it the bits, must not
// depend on the machine.
double reference_block_cost_ns(const Pair& pair);

// Runs it. Pointers to element (0, …, 0) of a, b and c.
void run_block_plan(const BlockPlan& plan, const void* a, const void* b, void* c,
                    const RunOptions& options);

}  // namespace tenfold::einsum_detail
