// Products of bf16 by the processor's own dot product of pairs, with the bits of f32 arithmetic.
// Per-target: included once for each SIMD target that may have the instruction by
// block_bf16_kernels.cc.
//
// The sums are those of every other target: one chain of fused multiply-adds in f32 over k. The
// instruction (vdpbf16ps) does two links of such a chain in each f32 lane,
//
//   sum = round(sum + a[high] * b[high]);  sum = round(sum + a[low] * b[low])
//
// to nearest even, whatever the rounding mode is. So the even k lie in the high half of a pair and
// the odd ones in the low half, other than in memory. What differs from f32 arithmetic: subnormal
// inputs, sums before and sums after are taken for zero. Hence the *span* of a panel: the least and
// the greatest biased exponent of its numbers but zeros. It is multiplied so if nothing subnormal
// and nothing infinite can arise from two panels:
//
// - A normal bf16 number is an integer below 2^8 times 2^(e - 127 - 7), e its biased exponent. A
//   product is a multiple of 2^(ea + eb - 268), and so is every sum of products, rounded ones too:
//   rounding to fewer digits leaves a multiple of a power of two one of it (or gives infinity). The
//   chain starts at +0, so if ea + eb - 268 >= -126 for the least exponents, each sum is zero or at
//   least 2^-126: normal.
// - The products are below 2^(ea + eb - 252), by the greatest exponents. If that is at most 2^128,
//   they are finite in f32 and, with 16 significant bits, exact: it doesn't matter whether the
//   processor rounds them before it adds. A sum of them that overflows becomes an infinity of that
//   sign and stays it in either arithmetic.
// - Zeros: the sum of +0 and a product of either zero is +0, and what cancels gives +0; no sum is
//   ever -0, as none is rounded to zero. So an odd k is padded with +0 times +0.
//
// Panels of other spans (subnormals, infinities, NaNs, exponents far apart) are multiplied in f32,
// from the same packed pairs: two fused multiply-adds in the same order. There a sum may be -0,
// rounded from below; so the padding of the columns is -0: -0 + (+0 * -0) is -0.
#if defined(TENFOLD_KERNELS_BLOCK_BF16_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_BLOCK_BF16_INL_H_
#undef TENFOLD_KERNELS_BLOCK_BF16_INL_H_
#else
#define TENFOLD_KERNELS_BLOCK_BF16_INL_H_
#endif

#include "kernels/block_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

// Two vectors of sums as one of bf16; NaNs are canonical.
template <class V>
HWY_INLINE hn::VFromD<hn::Repartition<uint16_t, hn::DFromV<V>>> BlockRoundToBf16(V low, V high) {
  const hn::Repartition<uint16_t, hn::DFromV<V>> d16;
  return hn::ConcatOdd(d16, hn::BitCast(d16, BlockBf16Bits(high)),
                       hn::BitCast(d16, BlockBf16Bits(low)));
}

// Stores a tile of sums as bf16; false: they are of another type, or two vectors lie apart.
template <int R, int C, class V, class Round>
HWY_INLINE bool BlockStoreBf16(const BlockOutput<float>& out, V (&sum)[R][C], Round round) {
  const hn::DFromV<V> d;
  const hn::Repartition<uint16_t, decltype(d)> d16;
  constexpr int64_t N = hn::MaxLanes(d);
  const ColumnVector* vectors = out.narrow.vectors;
  if (out.narrow.dtype != DType::kBF16) return false;
  int64_t lanes = vectors[0].lanes;
  if constexpr (C == 2) {
    if (lanes < N || vectors[1].offset != vectors[0].offset + N) return false;
    lanes += vectors[1].lanes;
  }
  uint16_t* c = static_cast<uint16_t*>(out.narrow.c) + vectors[0].offset;
  const auto mask = hn::FirstN(d16, static_cast<size_t>(lanes));
  TENFOLD_UNROLL
  for (int r = 0; r < R; ++r) {
    const auto pair = round(sum[r][0], C == 2 ? sum[r][C - 1] : hn::Zero(d));
    if (HWY_LIKELY(lanes == 2 * N))
      hn::StoreU(pair, d16, c + out.narrow.row_offsets[r]);
    else
      hn::BlendedStore(pair, mask, d16, c + out.narrow.row_offsets[r]);
  }
  return true;
}

// Both products of a pair in f32.
struct BlockBf16ExactOp {
  using Packed = float;  // two bf16, never used as a number
  using Sum = float;
  static constexpr int64_t kPerStep = 2;
  template <class V>
  static HWY_INLINE V Step(V a, V b, V sum) {
    return hn::MulAdd(Low(a), Low(b), hn::MulAdd(High(a), High(b), sum));
  }
  template <int R, int C, class V>
  static HWY_INLINE bool Store(const BlockOutput<float>& out, V (&sum)[R][C]) {
    return BlockStoreBf16(out, sum, &BlockRoundToBf16<V>);
  }

 private:
  template <class V>
  static HWY_INLINE V High(V pairs) {
    const hn::DFromV<V> d;
    const hn::RebindToUnsigned<decltype(d)> du;
    return hn::BitCast(d, hn::And(hn::BitCast(du, pairs), hn::Set(du, 0xFFFF0000u)));
  }
  template <class V>
  static HWY_INLINE V Low(V pairs) {
    const hn::DFromV<V> d;
    const hn::RebindToUnsigned<decltype(d)> du;
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::BitCast(du, pairs)));
  }
};

// By the instruction. As assembly: the compiler is not told that the processor has it, and so
// nothing else in this file can be compiled to what other processors lack.
struct BlockBf16Op {
  using Packed = float;
  using Sum = float;
  using Exact = BlockBf16ExactOp;
  static constexpr int64_t kPerStep = 2;
  template <class V>
  static HWY_INLINE V Step(V a, V b, V sum) {
    asm("vdpbf16ps %2, %1, %0" : "+v"(sum.raw) : "v"(b.raw), "v"(a.raw));
    return sum;
  }
  // The processor's rounding takes subnormals for zeros and keeps what NaN there is; a chain by
  // itself has neither, see above.
  template <int R, int C, class V>
  static HWY_INLINE bool Store(const BlockOutput<float>& out, V (&sum)[R][C]) {
    return out.accumulate ? BlockStoreBf16(out, sum, &BlockRoundToBf16<V>)
                          : BlockStoreBf16(out, sum, &Round<V>);
  }
  static bool Fits(const BlockSpan& x, const BlockSpan& y) {
    return x.least > 0 && y.least > 0 && x.most < 255 && y.most < 255 &&
           x.least + y.least - 268 >= -126 && x.most + y.most - 252 <= 128;
  }

 private:
  template <class V>
  static HWY_INLINE hn::VFromD<hn::Repartition<uint16_t, hn::DFromV<V>>> Round(V low, V high) {
    const hn::Repartition<uint16_t, hn::DFromV<V>> d16;
    V both;
    asm("vcvtne2ps2bf16 %2, %1, %0" : "=v"(both.raw) : "v"(high.raw), "v"(low.raw));
    return hn::BitCast(d16, both);
  }
};

template <>
struct BlockLoader<BlockBf16Op, BFloat16> {
  using T = float;
  using R = uint16_t;
  static constexpr int64_t kPerStep = 2;

  template <class D>
  static HWY_INLINE hn::Vec<D> Join(D d, hn::VFromD<hn::RebindToUnsigned<D>> first,
                                    hn::VFromD<hn::RebindToUnsigned<D>> second) {
    return hn::BitCast(d, hn::Or(hn::ShiftLeft<16>(first), second));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> Slots(D d, const R* p, const int64_t* k, bool second) {
    const hn::RebindToUnsigned<D> du;
    const hn::Rebind<R, D> dr;
    const auto v = hn::PromoteTo(du, hn::LoadU(dr, p + k[0]));
    return Join(d, v, second ? hn::PromoteTo(du, hn::LoadU(dr, p + k[1])) : hn::Zero(du));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> SomeSlots(D d, const R* p, const int64_t* k, bool second,
                                         size_t count) {
    const hn::RebindToUnsigned<D> du;
    const hn::Rebind<R, D> dr;
    const auto v = hn::PromoteTo(du, LoadTail(dr, p + k[0], count));
    return Join(d, v, second ? hn::PromoteTo(du, LoadTail(dr, p + k[1], count)) : hn::Zero(du));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> Steps(D d, const R* p) {
    const hn::RebindToUnsigned<D> du;
    return hn::BitCast(d,
                       hn::RotateRight<16>(hn::BitCast(du, hn::LoadU(hn::Repartition<R, D>(), p))));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> SomeSteps(D d, const R* p, size_t k) {
    const hn::RebindToUnsigned<D> du;
    return hn::BitCast(
        d, hn::RotateRight<16>(hn::BitCast(du, LoadTail(hn::Repartition<R, D>(), p, k))));
  }
  static HWY_INLINE T One(const R* p, const int64_t* k, bool second) {
    const uint32_t low = second ? p[k[1]] : 0u;
    return std::bit_cast<float>(static_cast<uint32_t>(p[k[0]]) << 16 | low);
  }

  // After a panel is packed: its span, and -0 where an odd k is padded in columns.
  template <bool kColumns>
  static void EndPanel(const PackArgs& args, int64_t panel, int64_t first, int64_t slots) {
    const int64_t steps = (args.k + 1) / 2;
    float* at = static_cast<float*>(args.packed) + first * steps;
    args.spans[panel] = Span(at, slots * steps);
    if (kColumns && args.k % 2 != 0) PadWithMinusZero(at + slots * (steps - 1), slots);
  }

 private:
  static void PadWithMinusZero(float* pairs, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      pairs[i] = std::bit_cast<float>(std::bit_cast<uint32_t>(pairs[i]) | 0x8000u);
  }

  static BlockSpan Span(const float* pairs, int64_t count) {
    const hn::ScalableTag<float> d;
    const hn::Repartition<uint16_t, decltype(d)> d16;
    constexpr int64_t N = hn::MaxLanes(d);
    // Of the magnitudes less one: zeros become the greatest.
    const auto one = hn::Set(d16, 1), magnitude = hn::Set(d16, 0x7FFF);
    auto least = hn::Set(d16, 0xFFFF), most = hn::Zero(d16);
    const auto take = [&](hn::Vec<decltype(d)> v) HWY_ATTR {
      const auto m = hn::And(hn::BitCast(d16, v), magnitude);
      least = hn::Min(least, hn::Sub(m, one));
      most = hn::Max(most, m);
    };
    int64_t i = 0;
    for (; i + N <= count; i += N) take(hn::LoadU(d, pairs + i));
    if (i < count) take(LoadTail(d, pairs + i, static_cast<size_t>(count - i)));
    const auto first = [&](auto v) { return static_cast<int32_t>(hn::GetLane(v)); };
    constexpr int kMantissa = 7;
    return {(first(hn::MinOfLanes(d16, least)) + 1) >> kMantissa,
            first(hn::MaxOfLanes(d16, most)) >> kMantissa};
  }
};

template <>
struct BlockOpOf<BlockType::kBF16> {
  using type = BlockBf16Op;
};

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
