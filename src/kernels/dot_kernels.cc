// Sums of products along the contiguous axis of both operands: dot products of rows.
//
// The tree is that of the reductions (lanes-inl.h) over the rounded products. No fused
// multiply-add, so every SIMD target gives the same bits; the loops wait for memory anyway, and on
// cores with adders of their own a product and a sum take no longer than a fused one.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dot_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "kernels/dot_leaves-inl.h"
#include "kernels/product_kernels.hpp"
#include "kernels/product_kernels.inc"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

template <class TA, class TB, class A>
struct Dot : DotLeaves<TA, TB, A> {
  using Base = DotLeaves<TA, TB, A>;
  using Base::Canonical;
  using Base::kAhead;
  using Base::kTwoLeaves;
  using Base::LoadSome;
  using Base::N;
  using Base::NV;
  using Base::op;
  using Base::PartProduct;
  using Base::Product;
  using Base::StoreRows;
  using typename Base::D;
  using typename Base::DA;
  using typename Base::DB;
  using typename Base::L;
  using typename Base::Op;
  using typename Base::RA;
  using typename Base::RB;
  using typename Base::V;
  // Rows up to this length are added side by side if they share a vector: as many as give eight
  // accumulators (with sixteen, the addresses no longer fit the registers).
  static constexpr int64_t kRowsAbreast = 128;
  static constexpr int64_t kGroup = std::min(N, 8 / NV);
  static constexpr int64_t kUnrolled = std::min<int64_t>(N, 4);  // rows of a pass without branches
  // Rows that share a vector which the first cache does not hold: so many at a time.
  static constexpr int64_t kTogether = 4;
  static constexpr int64_t kLongRow = 32768;  // bytes
  static constexpr int64_t kRowAhead = 2048;  // bytes that each of these streams prefetches ahead

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
  template <bool kShared>
  static HWY_INLINE void RunRows(Rows x, int64_t rows, A* out) {
    int64_t r = 0;
    if (x.n <= L::kLeafSize) {
      if (x.n <= 4 && x.a_row == x.n && (kShared || x.b_row == x.n))
        r = Interleaved<kShared>(x, rows, out);
      else if (kShared && x.n <= kMostSteps * L::kLanes)
        r = HeldRows(x, rows, out);
      else if (x.n < L::kLanes)
        r = Narrow(x, rows, out);
      else if (x.n <= kRowsAbreast)
        r = kShared ? Abreast(x, rows, out) : ShortLeaves(x, rows, out);
      x.a += r * x.a_row;
      x.b += r * x.b_row;
      if (4 * (rows - r) >= N) return Leaves<kShared>(x, rows - r, out + r);
    }
    if (kShared && x.n * int64_t{sizeof(RB)} > kLongRow)
      for (; r + kTogether <= rows; r += kTogether, x.a += kTogether * x.a_row)
        Together(x, out + r);
    for (; r < rows; ++r, x.a += x.a_row, x.b += x.b_row) out[r] = Row<kShared>(x.a, x.b, x.n);
  }

  template <bool kShared>
  static A Row(const RA* a, const RB* b, int64_t n) {
    constexpr int64_t kSize = L::kLeafSize;
    LeafStack<Op> stack;
    const RA* const end = a + n;
    if constexpr (kTwoLeaves)
      for (; end - a >= 2 * kSize; a += 2 * kSize, b += 2 * kSize) {
        V lanes[2];
        Base::template LeafPair<kShared>(a, b, lanes);
        stack.Push(op(), L::FoldLanes(op(), D(), lanes[0]));
        stack.Push(op(), L::FoldLanes(op(), D(), lanes[1]));
      }
    for (; end - a >= kSize; a += kSize, b += kSize)
      stack.Push(op(),
                 L::FoldLanes(op(), D(), Base::template LeafVector<kShared, true>(a, b, kSize)));
    if (a == end) return Canonical(stack.Finish(op(), A{}, false));
    const A last = L::FoldLanes(op(), D(), Base::template LeafVector<kShared>(a, b, end - a));
    return Canonical(stack.Finish(op(), last, true));
  }

  // Long rows side by side against one vector, which is loaded once for all of them.
  static void Together(const Rows& x, A* out) {
    LeafStack<Op> stacks[kTogether];
    const auto leaf = [&](int64_t at, int64_t n, A* sums) HWY_ATTR {
      const Rows part{x.a + at, x.b + at, x.a_row, 0, n};
      V lanes[kTogether];
      V rest[NV];
      Base::LoadShared(part.b + n / L::kLanes * L::kLanes, n % L::kLanes, rest);
      AbreastGroup<kTogether>(part, rest, lanes, kRowAhead);
      TENFOLD_UNROLL
      for (int64_t g = 0; g < kTogether; ++g) sums[g] = L::FoldLanes(op(), D(), lanes[g]);
    };
    A sums[kTogether] = {};
    int64_t at = 0;
    for (; at + L::kLeafSize <= x.n; at += L::kLeafSize) {
      leaf(at, L::kLeafSize, sums);
      for (int64_t g = 0; g < kTogether; ++g) stacks[g].Push(op(), sums[g]);
    }
    if (at < x.n) leaf(at, x.n - at, sums);
    for (int64_t g = 0; g < kTogether; ++g)
      out[g] = Canonical(stacks[g].Finish(op(), sums[g], at < x.n));
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
        lanes[j] = Base::template LeafVector<kShared>(x.a, x.b, x.n);
      StoreRows(lanes, out, count);
    }
  }

  // Rows of at most kSteps * kLanes against one vector, which stays in registers.
  static constexpr int64_t kMostSteps = HWY_MIN(int64_t{4}, 8 / NV);
  template <int64_t kSteps>
  static int64_t Held(Rows x, int64_t rows, A* out) {
    constexpr int64_t kLast = (kSteps - 1) * L::kLanes;
    V b[kSteps * NV];
    TENFOLD_UNROLL
    for (int64_t s = 0; s < kSteps; ++s)
      Base::LoadShared(x.b + s * L::kLanes, HWY_MIN(L::kLanes, x.n - s * L::kLanes), b + s * NV);
    int64_t r = 0;
    for (; r + N <= rows; r += N) {
      V lanes[N];
      for (int64_t j = 0; j < N; j += kUnrolled) {
        TENFOLD_UNROLL
        for (int64_t i = 0; i < kUnrolled; ++i, x.a += x.a_row) {
          V acc[NV];
          TENFOLD_UNROLL
          for (int64_t s = 0; s < kSteps; ++s) {
            const RA* a = x.a + s * L::kLanes;
            Base::template PrefetchLanes<true>(a, nullptr);
            TENFOLD_UNROLL
            for (int64_t v = 0; v < NV; ++v) {
              const V value = s + 1 < kSteps ? Widen<TA>(D(), hn::LoadU(DA(), a + v * N))
                                             : LoadSome(a + v * N, x.n - kLast - v * N);
              const V product = hn::Mul(value, b[s * NV + v]);
              acc[v] = s == 0 ? product : hn::Add(acc[v], product);
            }
          }
          lanes[j + i] = L::FoldVectors(op(), acc);
        }
      }
      StoreRows(lanes, out + r);
    }
    return r;
  }
  static int64_t HeldRows(const Rows& x, int64_t rows, A* out) {
    const int64_t steps = (x.n + L::kLanes - 1) / L::kLanes;
    if (steps == 1) return Held<1>(x, rows, out);
    if (steps == 2) return Held<2>(x, rows, out);
    if (steps == 3) return Held<HWY_MIN(3, kMostSteps)>(x, rows, out);
    return Held<kMostSteps>(x, rows, out);
  }

  // Rows shorter than the lanes of a leaf: whole vectors, then a masked one.
  static int64_t Narrow(Rows x, int64_t rows, A* out) {
    const D d;
    const int64_t whole = x.n / N, rest = x.n % N;
    int64_t r = 0;
    for (; r + N <= rows; r += N) {
      V lanes[N];
      for (int64_t j = 0; j < N; j += kUnrolled) {
        TENFOLD_UNROLL
        for (int64_t i = 0; i < kUnrolled; ++i, x.a += x.a_row, x.b += x.b_row) {
          Base::template PrefetchLanes<false>(x.a, x.b);
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
        lanes[j] = Base::template LeafVector<false>(x.a, x.b, x.n);
      StoreRows(lanes, out + r);
    }
    return r;
  }

  // Rows side by side against one vector: it is loaded once for the group, and their chains of
  // additions overlap. `rest`: what is left of the vector after whole steps.
  static HWY_INLINE int64_t Abreast(Rows x, int64_t rows, A* out) {
    V rest[NV];
    Base::LoadShared(x.b + x.n / L::kLanes * L::kLanes, x.n % L::kLanes, rest);
    int64_t r = 0;
    for (; r + N <= rows; r += N) {
      V lanes[N];
      for (int64_t g = 0; g < N; g += kGroup, x.a += kGroup * x.a_row)
        AbreastGroup<kGroup>(x, rest, lanes + g, kAhead);
      StoreRows(lanes, out + r);
    }
    return r;
  }

  template <int64_t kRows>
  static HWY_INLINE void AbreastGroup(const Rows& x, const V* rest, V* lanes, int64_t ahead) {
    const D d;
    const int64_t whole = x.n / L::kLanes * L::kLanes;
    V acc[kRows * NV];
    TENFOLD_UNROLL
    for (int64_t g = 0; g < kRows * NV; ++g) acc[g] = hn::Set(d, Op::Identity());
    for (int64_t i = 0; i < whole; i += L::kLanes) {
      TENFOLD_UNROLL
      for (int64_t v = 0; v < NV; ++v) {
        const V shared = Widen<TB>(d, hn::LoadU(DB(), x.b + i + v * N));
        TENFOLD_UNROLL
        for (int64_t g = 0; g < kRows; ++g) {
          const RA* a = x.a + g * x.a_row + i + v * N;
          if (Base::StartsLine(v))
            __builtin_prefetch(reinterpret_cast<const char*>(a) + ahead, 0, 3);
          acc[g * NV + v] =
              hn::Add(acc[g * NV + v], hn::Mul(Widen<TA>(d, hn::LoadU(DA(), a)), shared));
        }
      }
    }
    if (whole < x.n) {
      TENFOLD_UNROLL
      for (int64_t g = 0; g < kRows; ++g) {
        const RA* a = x.a + g * x.a_row + whole;
        TENFOLD_UNROLL
        for (int64_t v = 0; v < NV; ++v)
          acc[g * NV + v] =
              hn::Add(acc[g * NV + v], hn::Mul(LoadSome(a + v * N, x.n - whole - v * N), rest[v]));
      }
    }
    TENFOLD_UNROLL
    for (int64_t g = 0; g < kRows; ++g) lanes[g] = L::FoldVectors(op(), acc + g * NV);
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
      for (int k = 0; k < kN; ++k) Base::template Prefetch<kShared>(x.a + k * N, x.b + k * N);
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
