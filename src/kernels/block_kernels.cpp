#include "kernels/block_kernels.hpp"

#include "kernels/block_row.hpp"

namespace tenfold::kernels {

const BlockRow* find_block_f32();
const BlockRow* find_block_f64();
const BlockRow* find_block_i32();
const BlockRow* find_block_i64();
const BlockRow* find_block_pairs();
const BlockRow* find_block_bf16();

namespace {

const BlockRow* find_row(BlockType type) {
  switch (type) {
    case BlockType::kF32:
      return find_block_f32();
    case BlockType::kF64:
      return find_block_f64();
    case BlockType::kI32:
      return find_block_i32();
    case BlockType::kI64:
      return find_block_i64();
    case BlockType::kPairs:
      return find_block_pairs();
    case BlockType::kBF16:
      return find_block_bf16();
  }
  __builtin_unreachable();
}

}  // namespace

const BlockKernel* find_block_kernel(BlockType type) {
  const BlockRow* row = find_row(type);
  return row != nullptr ? &row->kernel : nullptr;
}

PackFn find_block_pack(BlockType type, DType source, bool columns) {
  for (const BlockPackRow& row : find_row(type)->packs)
    if (row.source == source) return columns ? row.columns : row.rows;
  return nullptr;
}

}  // namespace tenfold::kernels
