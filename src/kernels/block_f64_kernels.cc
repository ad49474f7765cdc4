// Packed block contractions of f64.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/block_f64_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "kernels/block_kernels.inc"
#include "kernels/block_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

const BlockRow* FindBlockF64() {
  static constexpr BlockPackRow kPacks[] = {TENFOLD_BLOCK_F64(TENFOLD_PACK_ROW)};
  static constexpr BlockRow kRow = BlockRowOf<BlockType::kF64>(kPacks);
  return &kRow;
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {
HWY_EXPORT(FindBlockF64);
const BlockRow* find_block_f64() { return HWY_DYNAMIC_DISPATCH(FindBlockF64)(); }
}  // namespace tenfold::kernels
#endif
