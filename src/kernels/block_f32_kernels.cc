// Packed block contractions of f32 (from f32, f16, bf16 and bool).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/block_f32_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "kernels/block_kernels.inc"
#include "kernels/block_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

const BlockRow* FindBlockF32() {
  static constexpr BlockPackRow kPacks[] = {TENFOLD_BLOCK_F32(TENFOLD_PACK_ROW)};
  static constexpr BlockRow kRow = BlockRowOf<BlockType::kF32>(kPacks);
  return &kRow;
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {
HWY_EXPORT(FindBlockF32);
const BlockRow* find_block_f32() { return HWY_DYNAMIC_DISPATCH(FindBlockF32)(); }
}  // namespace tenfold::kernels
#endif
