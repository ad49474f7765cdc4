// Packed block contractions of 64-bit integers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/block_i64_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "kernels/block_kernels.inc"
#include "kernels/block_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

const BlockRow* FindBlockI64() {
  static constexpr BlockPackRow kPacks[] = {TENFOLD_BLOCK_I64(TENFOLD_PACK_ROW)};
  static constexpr BlockRow kRow = BlockRowOf<BlockType::kI64>(kPacks);
  return &kRow;
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {
HWY_EXPORT(FindBlockI64);
const BlockRow* find_block_i64() { return HWY_DYNAMIC_DISPATCH(FindBlockI64)(); }
}  // namespace tenfold::kernels
#endif
