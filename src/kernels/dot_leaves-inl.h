// What the dot products of rows are made of: products of vectors, leaves of the tree of sums.
// Per-target: included once for each SIMD target by dot_kernels.cc.
#if defined(TENFOLD_KERNELS_DOT_LEAVES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_DOT_LEAVES_INL_H_
#undef TENFOLD_KERNELS_DOT_LEAVES_INL_H_
#else
#define TENFOLD_KERNELS_DOT_LEAVES_INL_H_
#endif

#include "kernels/keys.hpp"
#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

template <class TA, class TB, class A>
struct DotLeaves {
  using Op = SumOp<A, A>;
  using L = Lanes<Op>;
  using RA = Raw<TA>;
  using RB = Raw<TB>;
  using D = typename L::D;
  using V = typename L::V;
  using DA = hn::Rebind<RA, D>;
  using DB = hn::Rebind<RB, D>;
  static constexpr int64_t N = L::N, NV = L::NV;
  // Bytes that a stream prefetches ahead; the vector of a product with a matrix stays in L1.
  static constexpr int64_t kAhead = 8192;

  static HWY_INLINE Op op() { return Op(KernelArgs{}); }

  static HWY_INLINE V Product(const RA* a, const RB* b) {
    const D d;
    return hn::Mul(Widen<TA>(d, hn::LoadU(DA(), a)), Widen<TB>(d, hn::LoadU(DB(), b)));
  }
  // Lanes from `count` on become the identity of addition, -0; 0 < count < N.
  static HWY_INLINE V PartProduct(const RA* a, const RB* b, size_t count) {
    const D d;
    const V v =
        hn::Mul(Widen<TA>(d, LoadTail(DA(), a, count)), Widen<TB>(d, LoadTail(DB(), b, count)));
    return hn::IfThenElse(hn::FirstN(d, count), v, hn::Set(d, Op::Identity()));
  }
  static HWY_INLINE V TailProduct(const RA* a, const RB* b, int64_t count) {
    if (count <= 0) return hn::Set(D(), Op::Identity());
    if (count >= N) return Product(a, b);
    return PartProduct(a, b, static_cast<size_t>(count));
  }

  template <bool kShared>
  static HWY_INLINE void Prefetch(const RA* a, const RB* b) {
    __builtin_prefetch(reinterpret_cast<const char*>(a) + kAhead, 0, 3);
    if constexpr (!kShared) __builtin_prefetch(reinterpret_cast<const char*>(b) + kAhead, 0, 3);
  }

  // Of the vectors that hold as many elements as there are lanes: the first of a cache line.
  static constexpr bool StartsLine(int64_t v) { return v * N * int64_t{sizeof(RA)} % 64 == 0; }
  template <bool kShared>
  static HWY_INLINE void PrefetchLanes(const RA* a, const RB* b) {
    TENFOLD_UNROLL
    for (int64_t v = 0; v < NV; ++v)
      if (StartsLine(v)) Prefetch<kShared>(a + v * N, b + v * N);
  }

  static HWY_INLINE V Canonical(V v) {
    if constexpr (std::is_floating_point_v<A>) {
      const D d;
      return hn::IfThenElse(hn::IsNaN(v), hn::Set(d, std::bit_cast<A>(kNanBits<A>)), v);
    } else {
      return v;
    }
  }
  static HWY_INLINE A Canonical(A v) {
    if constexpr (std::is_floating_point_v<A>)
      return v == v ? v : std::bit_cast<A>(kNanBits<A>);
    else
      return v;
  }
  static HWY_INLINE void StoreRows(const V* lanes, A* out, int64_t count = N) {
    const V sums = Canonical(L::FoldRows(op(), lanes));
    if (count == N)
      hn::StoreU(sums, D(), out);
    else
      StoreTail(sums, D(), out, static_cast<size_t>(count));
  }

  // Narrow integers: products of neighbours are added as they are made, which changes no bit.
  static constexpr bool kPairs = std::is_same_v<A, int32_t> && sizeof(RA) < 4 && sizeof(RB) < 4 &&
                                 !(std::is_unsigned_v<RA> && sizeof(RA) == 2);
  template <bool kShared>
  static HWY_INLINE V PairsVector(const RA* a, const RB* b, int64_t n) {
    const D d;
    using D16 = hn::Repartition<int16_t, D>;
    const hn::Rebind<RA, D16> da;
    const hn::Rebind<RB, D16> db;
    V sum = hn::Zero(d), more = hn::Zero(d);
    const auto widen = [&](auto x) HWY_ATTR {
      if constexpr (std::is_same_v<decltype(x), hn::Vec<D16>>)
        return x;
      else
        return hn::PromoteTo(D16(), x);
    };
    const auto add = [&](auto x, auto y) HWY_ATTR {
      sum = hn::ReorderWidenMulAccumulate(d, widen(x), widen(y), sum, more);
    };
    int64_t i = 0;
    for (; i + 2 * N <= n; i += 2 * N) {
      Prefetch<kShared>(a + i, b + i);
      add(hn::LoadU(da, a + i), hn::LoadU(db, b + i));
    }
    if (i < n) {
      const auto rest = static_cast<size_t>(n - i);
      add(LoadTail(da, a + i, rest), LoadTail(db, b + i, rest));
    }
    return hn::Add(sum, more);
  }

  // One leaf, possibly partial (not if kWhole), folded to one vector.
  template <bool kShared, bool kWhole = false>
  static HWY_INLINE V LeafVector(const RA* a, const RB* b, int64_t n) {
    if constexpr (kPairs) return PairsVector<kShared>(a, b, n);
    V acc[NV];
    if (!kWhole && n < L::kLanes) {
      TENFOLD_UNROLL
      for (int64_t v = 0; v < NV; ++v) acc[v] = TailProduct(a + v * N, b + v * N, n - v * N);
      return L::FoldVectors(op(), acc);
    }
    TENFOLD_UNROLL
    for (int64_t v = 0; v < NV; ++v) acc[v] = Product(a + v * N, b + v * N);
    int64_t i = L::kLanes;
    for (; i + L::kLanes <= n; i += L::kLanes) {
      PrefetchLanes<kShared>(a + i, b + i);
      TENFOLD_UNROLL
      for (int64_t v = 0; v < NV; ++v)
        acc[v] = hn::Add(acc[v], Product(a + i + v * N, b + i + v * N));
    }
    if (!kWhole && i < n) {
      TENFOLD_UNROLL
      for (int64_t v = 0; v < NV; ++v)
        acc[v] = hn::Add(acc[v], TailProduct(a + i + v * N, b + i + v * N, n - i - v * N));
    }
    return L::FoldVectors(op(), acc);
  }

  // Two whole leaves at once where elements are converted: one chain of additions would wait longer
  // than memory.
  static constexpr bool kTwoLeaves = std::is_floating_point_v<A> && sizeof(RA) < sizeof(A);
  template <bool kShared>
  static HWY_INLINE void LeafPair(const RA* a, const RB* b, V* lanes) {
    constexpr int64_t kSize = L::kLeafSize;
    V acc[2 * NV];
    TENFOLD_UNROLL
    for (int64_t v = 0; v < 2 * NV; ++v) acc[v] = hn::Set(D(), Op::Identity());
    for (int64_t i = 0; i < kSize; i += L::kLanes) {
      TENFOLD_UNROLL
      for (int64_t leaf = 0; leaf < 2; ++leaf) {
        const int64_t at = leaf * kSize + i, line = 2 * i + leaf * L::kLanes;
        PrefetchLanes<kShared>(a + line, b + line);
        TENFOLD_UNROLL
        for (int64_t v = 0; v < NV; ++v) {
          V& sum = acc[leaf * NV + v];
          sum = hn::Add(sum, Product(a + at + v * N, b + at + v * N));
        }
      }
    }
    lanes[0] = L::FoldVectors(op(), acc);
    lanes[1] = L::FoldVectors(op(), acc + NV);
  }

  // A vector's worth, of which there are `count` elements, then +0.
  static HWY_INLINE V LoadSome(const RA* a, int64_t count) {
#if HWY_TARGET <= HWY_AVX3  // a masked load takes no longer than another
    count = HWY_MAX(int64_t{0}, HWY_MIN(N, count));
    return Widen<TA>(D(), LoadTail(DA(), a, static_cast<size_t>(count)));
#else
    if (count >= N) return Widen<TA>(D(), hn::LoadU(DA(), a));
    if (count <= 0) return hn::Zero(D());
    return Widen<TA>(D(), LoadTail(DA(), a, static_cast<size_t>(count)));
#endif
  }
  // The lanes of a shared vector, then -0, whose product with +0 is the identity of addition.
  static HWY_INLINE void LoadShared(const RB* b, int64_t n, V* lanes) {
    const V nothing = hn::Set(D(), Op::Identity());
    TENFOLD_UNROLL
    for (int64_t v = 0; v < NV; ++v) {
      const int64_t count = HWY_MAX(int64_t{0}, HWY_MIN(N, n - v * N));
      lanes[v] = nothing;
      if (count == 0) continue;
      const auto some = static_cast<size_t>(count);
      const V value = Widen<TB>(D(), LoadTail(DB(), b + v * N, some));
      lanes[v] = hn::IfThenElse(hn::FirstN(D(), some), value, nothing);
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
