// Packed block contractions of pairs of bf16, by an instruction that not every AVX-512 has.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/block_bf16_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "kernels/block_bf16-inl.h"
#include "kernels/block_kernels.inc"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
const BlockRow* FindBlockBf16() {
  static constexpr BlockPackRow kPacks[] = {TENFOLD_BLOCK_BF16(TENFOLD_PACK_ROW)};
  static constexpr BlockRow kRow = BlockRowOf<BlockType::kBF16>(kPacks);
  static const bool there = __builtin_cpu_supports("avx512bf16");
  return there ? &kRow : nullptr;
}
#else
const BlockRow* FindBlockBf16() { return nullptr; }
#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {
HWY_EXPORT(FindBlockBf16);
const BlockRow* find_block_bf16() { return HWY_DYNAMIC_DISPATCH(FindBlockBf16)(); }
}  // namespace tenfold::kernels
#endif
