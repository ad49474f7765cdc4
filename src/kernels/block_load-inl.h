// Reads source elements as packed ones, a vector at a time, and transposes squares of them.
// Per-target: included once for each SIMD target by block_across-inl.h.
#if defined(TENFOLD_KERNELS_BLOCK_LOAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_BLOCK_LOAD_INL_H_
#undef TENFOLD_KERNELS_BLOCK_LOAD_INL_H_
#else
#define TENFOLD_KERNELS_BLOCK_LOAD_INL_H_
#endif

#include "core/convert.hpp"
#include "kernels/block_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

// Raw lanes of S to lanes of d, converted.
template <class S, class D, class V>
HWY_INLINE hn::Vec<D> BlockConvert(D d, V raw) {
  if constexpr (std::is_same_v<S, Bool>) {
    const hn::RebindToSigned<D> di;
    const auto wide = hn::PromoteTo(di, raw);
    return hn::IfThenElseZero(hn::RebindMask(d, hn::Ne(wide, hn::Zero(di))),
                              hn::Set(d, hn::TFromD<D>{1}));
  } else {
    return Widen<S>(d, raw);
  }
}

// How steps of `Op` are read from elements of S: for most, a step is one k.
template <class Op, class S>
struct BlockLoader {
  using T = typename Op::Packed;
  using R = Raw<S>;
  static constexpr int64_t kPerStep = 1;

  // One step for neighbouring slots, from the first's address without the offset along k.
  template <class D>
  static HWY_INLINE hn::Vec<D> Slots(D d, const R* p, const int64_t* k, bool /*second*/) {
    return BlockConvert<S>(d, hn::LoadU(hn::Rebind<R, D>(), p + k[0]));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> SomeSlots(D d, const R* p, const int64_t* k, bool /*second*/,
                                         size_t count) {
    return BlockConvert<S>(d, LoadTail(hn::Rebind<R, D>(), p + k[0], count));
  }
  // Steps for one slot, neighbours along k.
  template <class D>
  static HWY_INLINE hn::Vec<D> Steps(D d, const R* p) {
    return BlockConvert<S>(d, hn::LoadU(hn::Rebind<R, D>(), p));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> SomeSteps(D d, const R* p, size_t k) {
    return BlockConvert<S>(d, LoadTail(hn::Rebind<R, D>(), p, k));
  }
  static HWY_INLINE T One(const R* p, const int64_t* k, bool /*second*/) {
    return Element(p[k[0]]);
  }
  static HWY_INLINE T Element(R raw) {
    if constexpr (std::is_same_v<R, S> && !std::is_same_v<S, Bool>)
      return static_cast<T>(raw);
    else
      return convert_element<T>(std::bit_cast<S>(raw));
  }
};

// Pairs: two neighbours along k in the halves of 32 bits.
template <class S>
struct BlockLoader<BlockPairsOp, S> {
  using T = int32_t;
  using R = S;
  static constexpr int64_t kPerStep = 2;

  template <class V>
  static HWY_INLINE auto Widen16(V raw) {
    using Wide = std::conditional_t<std::is_signed_v<S>, int16_t, uint16_t>;
    if constexpr (sizeof(S) == 2)
      return raw;
    else
      return hn::PromoteTo(hn::Rebind<Wide, hn::DFromV<V>>(), raw);
  }
  template <class V>
  static HWY_INLINE V Join(V first, V second) {
    const hn::DFromV<V> d;
    return hn::Or(hn::And(first, hn::Set(d, 0xFFFF)), hn::ShiftLeft<16>(second));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> Slots(D d, const R* p, const int64_t* k, bool second) {
    const hn::Rebind<R, D> dr;
    const auto v = Widen<S>(d, hn::LoadU(dr, p + k[0]));
    return Join(v, second ? Widen<S>(d, hn::LoadU(dr, p + k[1])) : hn::Zero(d));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> SomeSlots(D d, const R* p, const int64_t* k, bool second,
                                         size_t count) {
    const hn::Rebind<R, D> dr;
    const auto v = Widen<S>(d, LoadTail(dr, p + k[0], count));
    return Join(v, second ? Widen<S>(d, LoadTail(dr, p + k[1], count)) : hn::Zero(d));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> Steps(D d, const R* p) {
    const hn::Repartition<int16_t, D> d16;
    return hn::BitCast(d, Widen16(hn::LoadU(hn::Rebind<R, decltype(d16)>(), p)));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> SomeSteps(D d, const R* p, size_t k) {
    const hn::Repartition<int16_t, D> d16;
    return hn::BitCast(d, Widen16(LoadTail(hn::Rebind<R, decltype(d16)>(), p, k)));
  }
  static HWY_INLINE T One(const R* p, const int64_t* k, bool second) {
    const auto high = second ? static_cast<uint32_t>(p[k[1]]) << 16 : 0u;
    return static_cast<T>((static_cast<uint32_t>(p[k[0]]) & 0xFFFFu) | high);
  }
};

// Transposes N x N squares of 4- or 8-byte lanes. The rows come in halves, row r beside row
// r + N / 2, so that what is left is the transposition of squares inside each half.
template <class D>
struct BlockSquare {
  using V = hn::Vec<D>;
  using T = hn::TFromD<D>;
  static constexpr int N = static_cast<int>(hn::MaxLanes(D()));
  static constexpr int LB = 16 / sizeof(T);  // lanes of a 128-bit block
  static constexpr int kHalf = N > LB ? N / 2 : N;
  using DHalf = std::conditional_t<(kHalf < N), hn::Half<D>, D>;

  // load(r, half) gives kHalf lanes of row r, from lane half * kHalf on.
  template <class Load>
  static HWY_INLINE void FromHalves(Load load, V* out) {
    const D d;
    if constexpr (N > LB) {
      TENFOLD_UNROLL
      for (int half = 0; half < 2; ++half) {
        V x[kHalf];
        TENFOLD_UNROLL
        for (int r = 0; r < kHalf; ++r) x[r] = hn::Combine(d, load(r + kHalf, half), load(r, half));
        Half(x, out + half * kHalf);
      }
    } else {
      V x[N];
      TENFOLD_UNROLL
      for (int r = 0; r < N; ++r) x[r] = load(r, 0);
      Half(x, out);
    }
  }
  // load(r) gives all lanes of row r.
  template <class Load>
  static HWY_INLINE void FromRows(Load load, V* out) {
    const D d;
    if constexpr (N > LB) {
      V low[kHalf], high[kHalf];
      TENFOLD_UNROLL
      for (int r = 0; r < kHalf; ++r) {
        const V x = load(r), y = load(r + kHalf);
        low[r] = hn::ConcatLowerLower(d, y, x);
        high[r] = hn::ConcatUpperUpper(d, y, x);
      }
      Half(low, out);
      Half(high, out + kHalf);
    } else {
      V x[N];
      TENFOLD_UNROLL
      for (int r = 0; r < N; ++r) x[r] = load(r);
      Half(x, out);
    }
  }

  // LB vectors: in each block, rows become columns.
  static HWY_INLINE void Blocks(V* x) {
    const D d;
    if constexpr (LB == 2) {
      const V a = hn::InterleaveLower(d, x[0], x[1]);
      x[1] = hn::InterleaveUpper(d, x[0], x[1]);
      x[0] = a;
    } else {
      const hn::Repartition<uint64_t, D> d64;
      const auto low01 = hn::BitCast(d64, hn::InterleaveLower(d, x[0], x[1]));
      const auto low23 = hn::BitCast(d64, hn::InterleaveLower(d, x[2], x[3]));
      const auto high01 = hn::BitCast(d64, hn::InterleaveUpper(d, x[0], x[1]));
      const auto high23 = hn::BitCast(d64, hn::InterleaveUpper(d, x[2], x[3]));
      x[0] = hn::BitCast(d, hn::InterleaveLower(d64, low01, low23));
      x[1] = hn::BitCast(d, hn::InterleaveUpper(d64, low01, low23));
      x[2] = hn::BitCast(d, hn::InterleaveLower(d64, high01, high23));
      x[3] = hn::BitCast(d, hn::InterleaveUpper(d64, high01, high23));
    }
  }

 private:
  static HWY_INLINE void Half(V* x, V* out) {
    TENFOLD_UNROLL
    for (int q = 0; q < kHalf; q += LB) Blocks(x + q);
    if constexpr (kHalf == LB) {
      TENFOLD_UNROLL
      for (int j = 0; j < LB; ++j) out[j] = x[j];
    } else {  // two blocks in a half: exchange the second of one with the first of the other
      static_assert(kHalf == 2 * LB);
      TENFOLD_UNROLL
      for (int j = 0; j < LB; ++j) {
        const V a = x[j], b = x[LB + j];
        out[j] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a);
        out[LB + j] = hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
      }
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
