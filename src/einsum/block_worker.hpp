// The loops of a packed block contraction over one piece of the output, on one thread, with this
// thread's scratch. Called by block_run.cpp.
//
//   for each block of column vectors (in L3, or in L2 where the rows fit whole)
//     for each block of k            pack the columns
//       for each block of rows       pack the rows (into L2), multiply
#pragma once

#include <cstddef>
#include <cstdint>

#include "einsum/block_plan.hpp"

namespace tenfold::einsum_detail {

struct BlockRange {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
  bool operator==(const BlockRange&) const = default;
};

// Bytes of a worker's scratch.
std::size_t block_scratch_bytes(const BlockPlan& plan);

class BlockWorker {
 public:
  BlockWorker(const BlockPlan& plan, const std::byte* rows, const std::byte* columns);

  void to_batch(std::int64_t batch);
  // Rows by column vectors of this batch, over all of k, into c.
  void run(BlockRange rows, BlockRange vectors, std::byte* c);
  // All rows and columns over a part of k, into dense sums.
  void sum(BlockRange k, std::byte* sums);
  // Converts dense sums, `width` to a row, into c.
  void scatter_all(BlockRange rows, BlockRange vectors, const std::byte* sums, std::int64_t width,
                   std::byte* c);

 private:
  void scatter(BlockRange rows, BlockRange vectors, const std::byte* sums, std::int64_t width,
               std::byte* c);
  // Where a block's sums go: c itself (width 0), or dense sums that begin at `rows` and `vectors`
  // and, if c is narrower than they are, from there to c.
  struct Output {
    std::byte* to;
    std::int64_t width;
    std::int64_t first_row, first_vector;
    std::byte* c;
  };
  void multiply_all(BlockRange rows, BlockRange vectors, BlockRange k, const Output& output);
  void multiply(BlockRange rows, BlockRange vectors, BlockRange all_k, const Output& output);
  std::int64_t position_of(std::int64_t vector) const;
  void set_k(BlockRange k);
  void set_rows(BlockRange rows);
  void set_columns(BlockRange vectors);
  void pack_rows();
  void pack_columns();

  const BlockPlan& plan_;
  const std::byte *rows_, *columns_;              // element (0, …, 0)
  const std::byte *batch_rows_, *batch_columns_;  // of this batch
  std::int64_t batch_c_ = 0;                      // elements

  // What the tables hold.
  BlockRange k_, row_range_, vector_range_;
  std::int64_t *row_k_, *column_k_;         // offset of each k in the operands
  std::int64_t *row_slots_, *row_c_;        // offset of each row in its operand and in c
  std::int64_t *column_slots_, *column_c_;  // of each lane
  kernels::ColumnVector* vectors_;
  std::int64_t* out_rows_;
  kernels::ColumnVector* out_vectors_;
  kernels::BlockSpan *row_spans_, *column_spans_;
  std::byte *packed_rows_, *packed_columns_, *line_, *sums_;
};

}  // namespace tenfold::einsum_detail
