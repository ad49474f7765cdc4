// Makes a table row of a packed type: its multiplication and its packings.
// Per-target: included once for each SIMD target by the block kernel files.
#if defined(TENFOLD_KERNELS_BLOCK_ROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_BLOCK_ROW_INL_H_
#undef TENFOLD_KERNELS_BLOCK_ROW_INL_H_
#else
#define TENFOLD_KERNELS_BLOCK_ROW_INL_H_
#endif

#include "kernels/block_pack-inl.h"
#include "kernels/block_row.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

template <BlockType kType>
struct BlockOpOf;
template <>
struct BlockOpOf<BlockType::kF32> {
  using type = BlockOp<float>;
};
template <>
struct BlockOpOf<BlockType::kF64> {
  using type = BlockOp<double>;
};
template <>
struct BlockOpOf<BlockType::kI32> {
  using type = BlockOp<int32_t>;
};
template <>
struct BlockOpOf<BlockType::kI64> {
  using type = BlockOp<int64_t>;
};
template <>
struct BlockOpOf<BlockType::kPairs> {
  using type = BlockPairsOp;
};

#define TENFOLD_PACK_ROW(block, dtype, source)                                               \
  {DType::dtype, &BlockPack<typename BlockOpOf<BlockType::block>::type, source, false>::Run, \
   &BlockPack<typename BlockOpOf<BlockType::block>::type, source, true>::Run},

template <BlockType kType>
constexpr BlockRow BlockRowOf(std::span<const BlockPackRow> packs) {
  using Op = typename BlockOpOf<kType>::type;
  return {{BlockTiles<Op>::N, BlockTiles<Op>::kRows, &BlockTiles<Op>::Multiply}, packs};
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
