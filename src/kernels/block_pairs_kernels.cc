// Packed block contractions of pairs of 16-bit integers (from 8-bit ones too).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/block_pairs_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "kernels/block_kernels.inc"
#include "kernels/block_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

const BlockRow* FindBlockPairs() {
  static constexpr BlockPackRow kPacks[] = {TENFOLD_BLOCK_PAIRS(TENFOLD_PACK_ROW)};
  static constexpr BlockRow kRow = BlockRowOf<BlockType::kPairs>(kPacks);
  return &kRow;
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {
HWY_EXPORT(FindBlockPairs);
const BlockRow* find_block_pairs() { return HWY_DYNAMIC_DISPATCH(FindBlockPairs)(); }
}  // namespace tenfold::kernels
#endif
