// Stores finished sums as elements of the output's type.
// Per-target: included once for each SIMD target by block_tile-inl.h and block_scatter.cc.
#if defined(TENFOLD_KERNELS_BLOCK_STORE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_BLOCK_STORE_INL_H_
#undef TENFOLD_KERNELS_BLOCK_STORE_INL_H_
#else
#define TENFOLD_KERNELS_BLOCK_STORE_INL_H_
#endif

#include "core/convert.hpp"
#include "kernels/block_kernels.hpp"
#include "kernels/keys.hpp"
#include "kernels/ops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

// A sum as an element: floats round to nearest, NaNs become one, integers wrap.
template <class T, class A>
HWY_INLINE T BlockStoredAs(A sum) {
  if constexpr (std::is_floating_point_v<A>)
    if (sum != sum) sum = std::bit_cast<A>(kNanBits<A>);
  return convert_element<T>(sum);
}

// Which NaN a sum of several becomes depends on the order of an instruction's operands, which the
// compiler chooses: all become one.
template <class D>
HWY_INLINE hn::Vec<D> BlockCanonical(D d, hn::Vec<D> v) {
  using T = hn::TFromD<D>;
  return hn::IfThenElse(hn::IsNaN(v), hn::Set(d, std::bit_cast<T>(kNanBits<T>)), v);
}

// Canonical sums as bf16 in the upper half of each lane: to nearest, ties to even, on the bits.
template <class V>
HWY_INLINE auto BlockBf16Bits(V sums) {
  const hn::RebindToUnsigned<hn::DFromV<V>> d;
  const auto bits = hn::BitCast(d, sums);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1u));
  return hn::Add(hn::Add(bits, hn::Set(d, 0x7FFFu)), odd);
}

// A vector of sums, canonical ones, as elements.
template <class T, class D>
HWY_INLINE void BlockStoreVector(D d, hn::Vec<D> v, T* out) {
  using A = hn::TFromD<D>;
  if constexpr (std::is_same_v<T, A>) {
    hn::StoreU(v, d, out);
  } else if constexpr (std::is_same_v<T, Bool>) {
    const hn::RebindToSigned<decltype(d)> di;
    const hn::Rebind<uint8_t, decltype(d)> d8;
    const auto set = hn::VecFromMask(di, hn::RebindMask(di, hn::Ne(v, hn::Zero(d))));
    const auto ones = hn::And(set, hn::Set(di, 1));
    hn::StoreU(hn::DemoteTo(d8, ones), d8, reinterpret_cast<uint8_t*>(out));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    const auto rounded = hn::ShiftRight<16>(BlockBf16Bits(v));
    const hn::Rebind<uint16_t, decltype(d)> d16;
    hn::StoreU(hn::DemoteTo(d16, hn::BitCast(hn::RebindToSigned<decltype(d)>(), rounded)), d16,
               reinterpret_cast<uint16_t*>(out));
  } else if constexpr (std::is_same_v<T, Float16>) {
#if HWY_TARGET <= HWY_AVX2
    const hn::Rebind<hwy::float16_t, decltype(d)> d16;
    hn::StoreU(hn::DemoteTo(d16, v), d16, reinterpret_cast<hwy::float16_t*>(out));
#else  // no conversion instruction
    HWY_ALIGN float sums[hn::MaxLanes(d)];
    hn::Store(v, d, sums);
    for (size_t i = 0; i < hn::Lanes(d); ++i) out[i] = BlockStoredAs<Float16>(sums[i]);
#endif
  } else {  // the low bits of an integer; clearing the others keeps DemoteTo from saturating
    using Narrow = std::make_unsigned_t<T>;
    const hn::Rebind<Narrow, decltype(d)> dn;
    const auto low = hn::And(v, hn::Set(d, static_cast<A>(std::numeric_limits<Narrow>::max())));
    hn::StoreU(hn::DemoteTo(dn, low), dn, reinterpret_cast<Narrow*>(out));
  }
}

template <class T, class A>
HWY_INLINE void BlockStoreSums(const A* sums, T* out) {
  const hn::ScalableTag<A> d;
  auto v = hn::LoadU(d, sums);
  if constexpr (std::is_floating_point_v<A>) v = BlockCanonical(d, v);
  BlockStoreVector(d, v, out);
}

// A tile of sums, rows by vectors, from the output's row and vector on.
struct BlockTileSize {
  int rows, vectors;
};
using BlockTileStore = void (*)(const float* sums, BlockTileSize size, const NarrowOutput& out);

template <class T>
void BlockStoreTile(const float* sums, BlockTileSize size, const NarrowOutput& out) {
  constexpr int64_t N = hn::MaxLanes(hn::ScalableTag<float>());
  for (int r = 0; r < size.rows; ++r) {
    T* row = static_cast<T*>(out.c) + out.row_offsets[r];
    for (int v = 0; v < size.vectors; ++v, sums += N) {
      const ColumnVector& vector = out.vectors[v];
      if (HWY_LIKELY(vector.lanes == N))
        BlockStoreSums<T>(sums, row + vector.offset);
      else
        for (int64_t i = 0; i < vector.lanes; ++i)
          row[vector.offset + i] = BlockStoredAs<T>(sums[i]);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
