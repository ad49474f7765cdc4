// Sums of products along the contiguous axis of both operands: dot products of rows.
//
// The tree is that of the reductions (lanes-inl.h) over the rounded products. No fused
// multiply-add, so every SIMD target gives the same bits; the loops wait for memory anyway, and on
// cores with adders of their own a product and a sum take no longer than a fused one.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dot_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "kernels/keys.hpp"
#include "kernels/lanes-inl.h"
#include "kernels/product_kernels.hpp"
#include "kernels/product_kernels.inc"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

template <class TA, class TB, class A>
struct Dot {
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
  // Rows up to this length are added side by side if they share a vector: as many as give eight
  // accumulators (with sixteen, the addresses no longer fit the registers).
  static constexpr int64_t kRowsAbreast = 128;
  static constexpr int64_t kGroup = std::min(N, 8 / NV);
  static constexpr int64_t kUnrolled = std::min<int64_t>(N, 4);  // rows of a pass without branches

  struct Rows {
    const RA* a;
    const RB* b;
    int64_t a_row, b_row, n;
  };

  static void Run(const void* a, int64_t a_row, const void* b, int64_t b_row, int64_t rows,
                  int64_t n, void* sums) {
    const Rows x{static_cast<const RA*>(a), static_cast<const RB*>(b), a_row, b_row, n};
    if (b_row == 0 && rows > 1)
      RunRows<true>(x, rows, static_cast<A*>(sums));
    else
      RunRows<false>(x, rows, static_cast<A*>(sums));
  }

 private:
  static HWY_INLINE Op op() { return Op(KernelArgs{}); }

  template <bool kShared>
  static HWY_INLINE void RunRows(Rows x, int64_t rows, A* out) {
    int64_t r = 0;
    if (x.n <= L::kLeafSize) {
      if (x.n <= 4 && x.a_row == x.n && (kShared || x.b_row == x.n))
        r = Interleaved<kShared>(x, rows, out);
      else if (x.n < L::kLanes)
        r = Narrow(x, rows, out);
      else if (x.n <= kRowsAbreast)
        r = kShared ? Abreast(x, rows, out) : ShortLeaves(x, rows, out);
      x.a += r * x.a_row;
      x.b += r * x.b_row;
      if (4 * (rows - r) >= N) return Leaves<kShared>(x, rows - r, out + r);
    }
    for (; r < rows; ++r, x.a += x.a_row, x.b += x.b_row) out[r] = Row<kShared>(x.a, x.b, x.n);
  }

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

  // One leaf, possibly partial (not if kWhole), folded to one vector.
  template <bool kShared, bool kWhole = false>
  static HWY_INLINE V LeafVector(const RA* a, const RB* b, int64_t n) {
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

  template <bool kShared>
  static A Row(const RA* a, const RB* b, int64_t n) {
    constexpr int64_t kSize = L::kLeafSize;
    LeafStack<Op> stack;
    const RA* const end = a + n;
    for (; end - a >= kSize; a += kSize, b += kSize)
      stack.Push(op(), L::FoldLanes(op(), D(), LeafVector<kShared, true>(a, b, kSize)));
    if (a == end) return Canonical(stack.Finish(op(), A{}, false));
    const A last = L::FoldLanes(op(), D(), LeafVector<kShared>(a, b, end - a));
    return Canonical(stack.Finish(op(), last, true));
  }

  // Rows of at most a leaf, N of them folded at once; where there are fewer, the others are
  // nothing.
  template <bool kShared>
  static void Leaves(Rows x, int64_t rows, A* out) {
    for (; rows > 0; rows -= N, out += N) {
      const int64_t count = std::min(rows, N);
      V lanes[N];
      TENFOLD_UNROLL
      for (int64_t j = 0; j < N; ++j) lanes[j] = hn::Zero(D());
      for (int64_t j = 0; j < count; ++j, x.a += x.a_row, x.b += x.b_row)
        lanes[j] = LeafVector<kShared>(x.a, x.b, x.n);
      StoreRows(lanes, out, count);
    }
  }

  // Rows shorter than the lanes of a leaf: whole vectors, then a masked one. One vector for all of
  // the rows is read again for each.
  static int64_t Narrow(Rows x, int64_t rows, A* out) {
    const D d;
    const int64_t whole = x.n / N, rest = x.n % N;
    int64_t r = 0;
    for (; r + N <= rows; r += N) {
      V lanes[N];
      for (int64_t j = 0; j < N; j += kUnrolled) {
        TENFOLD_UNROLL
        for (int64_t i = 0; i < kUnrolled; ++i, x.a += x.a_row, x.b += x.b_row) {
          PrefetchLanes<false>(x.a, x.b);
          V acc[NV];
          TENFOLD_UNROLL
          for (int64_t v = 0; v < NV; ++v) {
            if (v < whole)
              acc[v] = Product(x.a + v * N, x.b + v * N);
            else if (v == whole && rest > 0)
              acc[v] = PartProduct(x.a + v * N, x.b + v * N, static_cast<size_t>(rest));
            else
              acc[v] = hn::Set(d, Op::Identity());
          }
          lanes[j + i] = L::FoldVectors(op(), acc);
        }
      }
      StoreRows(lanes, out + r);
    }
    return r;
  }

  // The same for rows of a few vectors, which are read in the order of memory, both operands side
  // by side.
  static int64_t ShortLeaves(Rows x, int64_t rows, A* out) {
    int64_t r = 0;
    for (; r + N <= rows; r += N) {
      V lanes[N];
      TENFOLD_UNROLL
      for (int64_t j = 0; j < N; ++j, x.a += x.a_row, x.b += x.b_row)
        lanes[j] = LeafVector<false>(x.a, x.b, x.n);
      StoreRows(lanes, out + r);
    }
    return r;
  }

  // Rows side by side against one vector: it is loaded once for the group, and their chains of
  // additions overlap.
  static HWY_INLINE int64_t Abreast(Rows x, int64_t rows, A* out) {
    int64_t r = 0;
    for (; r + N <= rows; r += N) {
      V lanes[N];
      for (int64_t g = 0; g < N; g += kGroup, x.a += kGroup * x.a_row) AbreastGroup(x, lanes + g);
      StoreRows(lanes, out + r);
    }
    return r;
  }

  static HWY_INLINE void AbreastGroup(const Rows& x, V* lanes) {
    const D d;
    const int64_t whole = x.n / L::kLanes * L::kLanes;
    V acc[kGroup * NV];
    TENFOLD_UNROLL
    for (int64_t g = 0; g < kGroup * NV; ++g) acc[g] = hn::Set(d, Op::Identity());
    for (int64_t i = 0; i < whole; i += L::kLanes) {
      TENFOLD_UNROLL
      for (int64_t v = 0; v < NV; ++v) {
        const V shared = Widen<TB>(d, hn::LoadU(DB(), x.b + i + v * N));
        TENFOLD_UNROLL
        for (int64_t g = 0; g < kGroup; ++g) {
          const RA* a = x.a + g * x.a_row + i + v * N;
          if (StartsLine(v)) Prefetch<true>(a, nullptr);
          acc[g * NV + v] =
              hn::Add(acc[g * NV + v], hn::Mul(Widen<TA>(d, hn::LoadU(DA(), a)), shared));
        }
      }
    }
    if (whole < x.n) {
      TENFOLD_UNROLL
      for (int64_t g = 0; g < kGroup; ++g) {
        TENFOLD_UNROLL
        for (int64_t v = 0; v < NV; ++v) {
          const int64_t i = whole + v * N;
          acc[g * NV + v] =
              hn::Add(acc[g * NV + v], TailProduct(x.a + g * x.a_row + i, x.b + i, x.n - i));
        }
      }
    }
    TENFOLD_UNROLL
    for (int64_t g = 0; g < kGroup; ++g) lanes[g] = L::FoldVectors(op(), acc + g * NV);
  }

  // Dense rows of 2, 3 or 4: de-interleaving loads, a vector for each place in the row.
  template <bool kShared>
  static HWY_INLINE int64_t Interleaved(Rows x, int64_t rows, A* out) {
    if (x.n == 2) return Places<kShared, 2>(x, rows, out);
    if (x.n == 3) return Places<kShared, 3>(x, rows, out);
    if (x.n == 4) return Places<kShared, 4>(x, rows, out);
    return 0;
  }

  template <int kN, class T, class DT>
  static HWY_INLINE void LoadPlaces(DT dt, const Raw<T>* p, V* v) {
    const D d;
    hn::Vec<DT> x[4];
    if constexpr (kN == 2) hn::LoadInterleaved2(dt, p, x[0], x[1]);
    if constexpr (kN == 3) hn::LoadInterleaved3(dt, p, x[0], x[1], x[2]);
    if constexpr (kN == 4) hn::LoadInterleaved4(dt, p, x[0], x[1], x[2], x[3]);
    TENFOLD_UNROLL
    for (int i = 0; i < kN; ++i) v[i] = Widen<T>(d, x[i]);
  }

  template <bool kShared, int kN>
  static HWY_INLINE int64_t Places(Rows x, int64_t rows, A* out) {
    const D d;
    V a[4], b[4];
    if constexpr (kShared) {
      for (int i = 0; i < kN; ++i) b[i] = Widen<TB>(d, hn::Set(DB(), x.b[i]));
    }
    int64_t r = 0;
    for (; r + N <= rows; r += N, x.a += N * kN) {
      TENFOLD_UNROLL
      for (int k = 0; k < kN; ++k) Prefetch<kShared>(x.a + k * N, x.b + k * N);
      LoadPlaces<kN, TA>(DA(), x.a, a);
      if constexpr (!kShared) {
        LoadPlaces<kN, TB>(DB(), x.b, b);
        x.b += N * kN;
      }
      // Halves at distance 2, then 1.
      V even = hn::Mul(a[0], b[0]), odd = hn::Mul(a[1], b[1]);
      if constexpr (kN >= 3) even = hn::Add(even, hn::Mul(a[2], b[2]));
      if constexpr (kN >= 4) odd = hn::Add(odd, hn::Mul(a[3], b[3]));
      hn::StoreU(Canonical(hn::Add(even, odd)), d, out + r);
    }
    return r;
  }
};

DotFn FindDot(DType a, DType b) {
#define X(a_type, TA, b_type, TB, A) \
  if (a == DType::a_type && b == DType::b_type) return &Dot<TA, TB, A>::Run;
  TENFOLD_DOT_KERNELS(X)
#undef X
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {
HWY_EXPORT(FindDot);
DotFn find_dot(DType a, DType b) { return HWY_DYNAMIC_DISPATCH(FindDot)(a, b); }
}  // namespace tenfold::kernels
#endif
