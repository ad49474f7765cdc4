// Weighted sums of the rows of a matrix: the summed axis runs across rows, the columns lie side by
// side. Matrix-vector products with a row-major matrix summed over its rows, and the like.
//
// Every column is a chain of fused multiply-adds (on SSE4, of products and sums) in the order of
// the rows, whatever the width of a vector, so AVX2 and AVX-512 give the same bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/columns_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "kernels/keys.hpp"
#include "kernels/ops-inl.h"
#include "kernels/product_kernels.hpp"
#include "kernels/product_kernels.inc"
#include "kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

// kPaired: a weight for each element, not one for the row.
template <class T, class A, bool kPaired>
struct Columns {
  using R = Raw<T>;
  using D = hn::ScalableTag<A>;
  using V = hn::Vec<D>;
  using DR = hn::Rebind<R, D>;
  static constexpr int64_t N = hn::MaxLanes(D());
  // Up to this many vectors of columns live in registers for a whole chain; wider rows go through
  // sums in L1, a few rows for each load and store of a sum.
  static constexpr int64_t kNarrow = 8;
  static constexpr int kRowsAtOnce = kPaired ? 4 : 8;
  static constexpr int64_t kAhead = 2048;  // bytes that each of these streams prefetches ahead
  static constexpr int64_t kPanelAhead = 4096;

  // Masked loads take little longer than whole ones: the last vector of any panel may be a part.
  // Elsewhere such a part is a panel of its own.
  static constexpr bool kMasks = HWY_TARGET <= (sizeof(R) >= 4 ? HWY_AVX2 : HWY_AVX3);

  // Turns side by side: each element of the matrix is loaded once for all of them.
  static constexpr int kTurns = HWY_TARGET <= HWY_AVX3 ? 4 : 2;

  static void Run(const ColumnsBlock& x) {
    int64_t t = 0;
    if (x.w_row == 0 || x.rows == 1)
      for (; t + kTurns <= x.turns; t += kTurns) RunTurns(x, t);
    for (; t < x.turns; ++t) {
      if (x.columns <= kNarrow * N)
        RunNarrow(x, t);
      else
        for (int64_t r = 0; r < x.rows; ++r) Wide(x, t, r);
    }
  }

 private:
  static HWY_INLINE V MulAdd(V a, V b, V sum) {
    if constexpr (std::is_floating_point_v<A>)
      return hn::MulAdd(a, b, sum);
    else
      return hn::Add(sum, hn::Mul(a, b));
  }
  // -0, the identity of addition: a sum that starts there is the chain of its terms, bit by bit.
  static HWY_INLINE V Nothing() { return hn::Set(D(), SumOp<A, A>::Identity()); }
  // kTail: `count` lanes, 0 < count <= N.
  template <bool kTail>
  static HWY_INLINE void StoreSum(V v, A* p, size_t count) {
    const D d;
    if constexpr (std::is_floating_point_v<A>)
      v = hn::IfThenElse(hn::IsNaN(v), hn::Set(d, std::bit_cast<A>(kNanBits<A>)), v);
    if (kTail && count < N)
      StoreTail(v, d, p, count);
    else
      hn::StoreU(v, d, p);
  }
  template <bool kTail, class DX, class X>
  static HWY_INLINE hn::Vec<DX> Load(DX d, const X* p, size_t count) {
    if constexpr (kTail)
      return LoadTail(d, p, count);
    else
      return hn::LoadU(d, p);
  }
  template <bool kTail>
  static HWY_INLINE V LoadM(const R* p, size_t count) {
    return Widen<T>(D(), Load<kTail>(DR(), p, count));
  }
  template <bool kTail>
  static HWY_INLINE V LoadW(const A* p, size_t count) {
    if constexpr (kPaired)
      return Load<kTail>(D(), p, count);
    else
      return hn::Set(D(), *p);
  }

  // Panels of 8 vectors of columns, then of 4, then what is left; of narrow panels several rows at
  // once, so that eight chains overlap.
  static HWY_INLINE void RunNarrow(const ColumnsBlock& x, int64_t t) {
    int64_t c = 0;
    for (; c + 8 * N <= x.columns; c += 8 * N) Panel<1, 1, 8, false>(x, t, c);
    if (c + 4 * N <= x.columns) Panel<1, 2, 4, false>(x, t, c), c += 4 * N;
    const int64_t vectors = VectorsLeft(x.columns - c);
    if (vectors == 1) LastPanel<1, 8, 1>(x, t, c);
    if (vectors == 2) LastPanel<1, 4, 2>(x, t, c);
    if (vectors == 3) LastPanel<1, 2, 3>(x, t, c);
    if (vectors == 4) LastPanel<1, 2, 4>(x, t, c);
    c += vectors * N;
    if (!kMasks && c < x.columns) Panel<1, 1, 1, true>(x, t, c);
  }
  // Turns t … t + kTurns - 1; panels of any number of columns, as the matrix comes from the caches.
  static HWY_INLINE void RunTurns(const ColumnsBlock& x, int64_t t) {
    int64_t c = 0;
    for (; c + 4 * N <= x.columns; c += 4 * N) Panel<kTurns, 1, 4, false>(x, t, c);
    const int64_t vectors = VectorsLeft(x.columns - c);
    if (vectors == 1) LastPanel<kTurns, 4, 1>(x, t, c);
    if (vectors == 2) LastPanel<kTurns, 2, 2>(x, t, c);
    if (vectors == 3) LastPanel<kTurns, 1, 3>(x, t, c);
    if (vectors == 4) LastPanel<kTurns, 1, 4>(x, t, c);
    c += vectors * N;
    if (!kMasks && c < x.columns) Panel<kTurns, 1, 1, true>(x, t, c);
  }
  static HWY_INLINE int64_t VectorsLeft(int64_t columns) {
    return (columns + (kMasks ? N - 1 : 0)) / N;
  }

  // The last kC vectors; where masked loads are cheap there may be less of the very last.
  template <int kT, int kR, int kC>
  static HWY_INLINE void LastPanel(const ColumnsBlock& x, int64_t t, int64_t c) {
    if (!kMasks || c + kC * N == x.columns)
      Panel<kT, kR, kC, false>(x, t, c);
    else
      Panel<kT, kR, kC, kMasks>(x, t, c);
  }
  template <int kT, int kR, int kC, bool kTail>
  static HWY_INLINE void Panel(const ColumnsBlock& x, int64_t t, int64_t c) {
    int64_t r = 0;
    if constexpr (kR > 1) {
      if (x.w_row == 0) {
        for (; r + kR <= x.rows; r += kR) Chains<kT, kR, kC, kTail, true>(x, t, r, c);
      } else if constexpr (kT == 1) {
        for (; r + kR <= x.rows; r += kR) Chains<kT, kR, kC, kTail, false>(x, t, r, c);
      }
    }
    for (; r < x.rows; ++r) Chains<kT, 1, kC, kTail, true>(x, t, r, c);
  }

  // kT turns by kR rows by kC vectors of columns in registers; kShared: the weights of a turn are
  // the same for these rows.
  template <int kT, int kR, int kC, bool kTail, bool kShared>
  static void Chains(const ColumnsBlock& x, int64_t t0, int64_t r0, int64_t c) {
    static_assert(kShared || kT == 1);
    const auto tail = static_cast<size_t>(x.columns - c - (kC - 1) * N);
    const R* m = static_cast<const R*>(x.m) + r0 * x.m_row + c;
    const A* w = static_cast<const A*>(x.w) + t0 * x.w_turn + r0 * x.w_row + (kPaired ? c : 0);
    V sum[kT * kR * kC];
    TENFOLD_UNROLL
    for (int i = 0; i < kT * kR * kC; ++i) sum[i] = Nothing();
    for (int64_t k = 0; k < x.count; ++k) {
      const R* mk = m + x.m_at[k];
      const A* wk = w + x.w_at[k];
      const auto vector = [&](int v, auto is_tail) HWY_ATTR {
        constexpr bool kMasked = decltype(is_tail)::value;
        V weight[kT];
        if constexpr (kShared) {
          TENFOLD_UNROLL
          for (int t = 0; t < kT; ++t)
            weight[t] = LoadW<kMasked>(wk + t * x.w_turn + (kPaired ? v * N : 0), tail);
        }
        TENFOLD_UNROLL
        for (int r = 0; r < kR; ++r) {
          if constexpr (!kShared)
            weight[0] = LoadW<kMasked>(wk + r * x.w_row + (kPaired ? v * N : 0), tail);
          const R* p = mk + r * x.m_row + v * N;
          // Wide panels are one stream; once for each cache line.
          if (kC == 8 && v * N * sizeof(R) % 64 == 0)
            __builtin_prefetch(reinterpret_cast<const char*>(p) + kPanelAhead, 0, 3);
          const V value = LoadM<kMasked>(p, tail);
          TENFOLD_UNROLL
          for (int t = 0; t < kT; ++t) {
            V& s = sum[(t * kR + r) * kC + v];
            s = MulAdd(value, weight[t], s);
          }
        }
      };
      TENFOLD_UNROLL
      for (int v = 0; v < kC - 1; ++v) vector(v, std::false_type());
      vector(kC - 1, std::bool_constant<kTail>());
    }
    A* out = static_cast<A*>(x.sums) + t0 * x.sums_turn + r0 * x.sums_row + c;
    TENFOLD_UNROLL
    for (int t = 0; t < kT; ++t) {
      TENFOLD_UNROLL
      for (int r = 0; r < kR; ++r) {
        A* row = out + t * x.sums_turn + r * x.sums_row;
        const V* v = sum + (t * kR + r) * kC;
        TENFOLD_UNROLL
        for (int i = 0; i < kC - 1; ++i) StoreSum<false>(v[i], row + i * N, 0);
        StoreSum<kTail>(v[kC - 1], row + (kC - 1) * N, tail);
      }
    }
  }

  static void Wide(const ColumnsBlock& x, int64_t t, int64_t r) {
    int64_t k = 0;
    bool first = true;
    for (; k + kRowsAtOnce <= x.count; k += kRowsAtOnce, first = false)
      first ? Pass<kRowsAtOnce, true>(x, t, r, k) : Pass<kRowsAtOnce, false>(x, t, r, k);
    for (; k < x.count; ++k, first = false)
      first ? Pass<1, true>(x, t, r, k) : Pass<1, false>(x, t, r, k);
  }

  // Adds rows k … k + kK - 1 to the sums.
  template <int kK, bool kFirst>
  static void Pass(const ColumnsBlock& x, int64_t t, int64_t r, int64_t k) {
    const D d;
    A* sums = static_cast<A*>(x.sums) + t * x.sums_turn + r * x.sums_row;
    const R *m[kK], *next[kK];
    const A* w[kK];
    V weight[kK];
    // The end of a row prefetches the start of the row that takes its place.
    const int64_t step = x.count > kK ? x.m_at[kK] - x.m_at[0] : 0;
    TENFOLD_UNROLL
    for (int i = 0; i < kK; ++i) {
      m[i] = static_cast<const R*>(x.m) + r * x.m_row + x.m_at[k + i];
      w[i] = static_cast<const A*>(x.w) + t * x.w_turn + r * x.w_row + x.w_at[k + i];
      weight[i] = LoadW<false>(w[i], 0);
    }
    const auto add = [&](int64_t c, size_t tail, auto is_tail) HWY_ATTR {
      constexpr bool kTail = decltype(is_tail)::value;
      V s = kFirst ? Nothing() : Load<kTail>(d, sums + c, tail);
      TENFOLD_UNROLL
      for (int i = 0; i < kK; ++i) {
        const V value = LoadM<kTail>(m[i] + c, tail);
        if constexpr (kPaired) weight[i] = LoadW<kTail>(w[i] + c, tail);
        s = MulAdd(value, weight[i], s);
      }
      StoreSum<kTail>(s, sums + c, tail);
    };
    constexpr int64_t ahead = kAhead / sizeof(R);
    int64_t c = 0;
    for (; c + ahead + N <= x.columns; c += N) {
      TENFOLD_UNROLL
      for (int i = 0; i < kK; ++i) __builtin_prefetch(m[i] + c + ahead, 0, 3);
      add(c, 0, std::false_type());
    }
    TENFOLD_UNROLL
    for (int i = 0; i < kK; ++i) next[i] = m[i] + step + ahead - x.columns;
    for (; c + N <= x.columns; c += N) {
      TENFOLD_UNROLL
      for (int i = 0; i < kK; ++i) __builtin_prefetch(next[i] + c, 0, 3);
      add(c, 0, std::false_type());
    }
    if (c < x.columns) add(c, static_cast<size_t>(x.columns - c), std::true_type());
  }
};

template <class T, class A>
constexpr auto Paired() -> void (*)(const ColumnsBlock&) {
  if constexpr (sizeof(T) > 1)
    return &Columns<T, A, true>::Run;
  else
    return nullptr;  // rare, and compiling takes long
}

const ColumnsFns* FindColumns(DType m) {
#define X(m_type, T, A)                                                           \
  if (m == DType::m_type) {                                                       \
    static constexpr ColumnsFns kFns{&Columns<T, A, false>::Run, Paired<T, A>()}; \
    return &kFns;                                                                 \
  }
  TENFOLD_COLUMNS_KERNELS(X)
#undef X
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {
HWY_EXPORT(FindColumns);
const ColumnsFns* find_columns(DType m) { return HWY_DYNAMIC_DISPATCH(FindColumns)(m); }
}  // namespace tenfold::kernels
#endif
