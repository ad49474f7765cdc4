// Packed block contractions of 32-bit integers (from narrower ones too).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/block_i32_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "kernels/block_kernels.inc"
#include "kernels/block_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

const BlockRow* FindBlockI32() {
  static constexpr BlockPackRow kPacks[] = {TENFOLD_BLOCK_I32(TENFOLD_PACK_ROW)};
  static constexpr BlockRow kRow = BlockRowOf<BlockType::kI32>(kPacks);
  return &kRow;
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {
HWY_EXPORT(FindBlockI32);
const BlockRow* find_block_i32() { return HWY_DYNAMIC_DISPATCH(FindBlockI32)(); }
}  // namespace tenfold::kernels
#endif
