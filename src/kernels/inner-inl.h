// Folds rows whose elements lie side by side: the reduced axis is the innermost one in memory.
// Per-target: included once for each SIMD target by the kernel files.
//
//   x  [row 0: n elements] …row_stride… [row 1: n elements] …        states[r] = fold of row r
#if defined(TENFOLD_KERNELS_INNER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_INNER_INL_H_
#undef TENFOLD_KERNELS_INNER_INL_H_
#else
#define TENFOLD_KERNELS_INNER_INL_H_
#endif

#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

template <class Op>
struct Inner {
  using L = Lanes<Op>;
  using A = typename L::A;
  using R = typename L::R;
  using D = typename L::D;
  using V = typename L::V;
  static constexpr int64_t N = L::N, NV = L::NV;

  static void Run(const void* x, int64_t rows, int64_t row_stride, int64_t n, void* states,
                  const KernelArgs& args) {
    const Op op(args);
    const R* p = static_cast<const R*>(x);
    A* out = static_cast<A*>(states);
    int64_t r = 0;
    if constexpr (sizeof(A) >= 4) {
      if (n <= L::kLeafSize) {
        if (n <= 4 && row_stride == n && n > 1) r = Interleaved(op, p, rows, n, out, args);
        if (n < L::kLanes)
          r = Narrow(op, p, r, rows, row_stride, n, out, args);
        else if (n <= kRowsAbreast)
          r = Abreast(op, p, rows, row_stride, n, out, args);
        for (; r + N <= rows; r += N) {
          V lanes[N];
          TENFOLD_UNROLL
          for (int64_t j = 0; j < N; ++j)
            lanes[j] = LeafVector(op, p + (r + j) * row_stride, n, Op::RowBias(D(), args, r + j));
          hn::StoreU(L::FoldRows(op, lanes), D(), out + r);
        }
      }
    }
    for (; r < rows; ++r) out[r] = Row(op, p + r * row_stride, n, Op::RowBias(D(), args, r));
  }

 private:
  // One leaf, possibly partial, folded to one vector.
  template <class B>
  static HWY_INLINE V LeafVector(const Op& op, const R* p, int64_t n, B bias) {
    V acc[NV];
    if (n < L::kLanes) {
      TENFOLD_UNROLL
      for (int64_t v = 0; v < NV; ++v) acc[v] = L::MapTail(op, p + v * N, bias, n - v * N);
      return L::FoldVectors(op, acc);
    }
    TENFOLD_UNROLL
    for (int64_t v = 0; v < NV; ++v) acc[v] = L::Map(op, p + v * N, bias);
    int64_t i = L::kLanes;
    for (; i + L::kLanes <= n; i += L::kLanes) {
      Prefetch(p + i);
      TENFOLD_UNROLL
      for (int64_t v = 0; v < NV; ++v) acc[v] = L::Add(op, acc[v], p + i + v * N, bias);
    }
    if (i < n) {
      TENFOLD_UNROLL
      for (int64_t v = 0; v < NV; ++v)
        acc[v] = op.Combine(D(), acc[v], L::MapTail(op, p + i + v * N, bias, n - i - v * N));
    }
    return L::FoldVectors(op, acc);
  }

  template <class B>
  static HWY_INLINE A Row(const Op& op, const R* p, int64_t n, B bias) {
    const D d;
    constexpr int64_t kSize = L::kLeafSize;
    LeafStack<Op> stack;
    const R* const end = p + n;
    for (; end - p >= kSize; p += kSize)
      stack.Push(op, L::FoldLanes(op, d, LeafVector(op, p, kSize, bias)));
    if (p == end) return stack.Finish(op, A{}, false);
    return stack.Finish(op, L::FoldLanes(op, d, LeafVector(op, p, end - p, bias)), true);
  }

  // One leaf is a chain of dependent additions, but the next leaf's chain starts while it runs; one
  // stream of loads in address order and a prefetch well ahead of it is what memory likes best.
  static HWY_INLINE void Prefetch(const R* q) {
    __builtin_prefetch(reinterpret_cast<const char*>(q) + Op::kAhead, 0, 3);
  }

  // Rows shorter than the lanes of a leaf, N at a time: one masked load each.
  static HWY_INLINE int64_t Narrow(const Op& op, const R* p, int64_t r, int64_t rows,
                                   int64_t row_stride, int64_t n, A* out, const KernelArgs& args) {
    const D d;
    const typename L::DR dr;
    const int64_t whole = n / N, rest = n % N;  // whole vectors of a row, lanes of the next one
    const auto mask = hn::FirstN(d, static_cast<size_t>(rest));
    const V identity = hn::Set(d, Op::Identity());
    p += r * row_stride;
    for (; r + N <= rows; r += N) {
      V lanes[N];
      TENFOLD_UNROLL
      for (int64_t j = 0; j < N; ++j, p += row_stride) {
        const auto bias = Op::RowBias(d, args, r + j);
        Prefetch(p);
        V acc[NV];
        TENFOLD_UNROLL
        for (int64_t v = 0; v < NV; ++v) {
          if (v < whole)
            acc[v] = L::Map(op, p + v * N, bias);
          else if (v == whole && rest > 0)
            acc[v] = hn::IfThenElse(
                mask, op.Map(d, LoadTail(dr, p + v * N, static_cast<size_t>(rest)), bias),
                identity);
          else
            acc[v] = identity;
        }
        lanes[j] = L::FoldVectors(op, acc);
      }
      hn::StoreU(L::FoldRows(op, lanes), d, out + r);
    }
    return r;
  }

  // Rows up to this length are added side by side, N of them in registers.
  static constexpr int64_t kRowsAbreast = 128;
  static HWY_INLINE int64_t Abreast(const Op& op, const R* p, int64_t rows, int64_t row_stride,
                                    int64_t n, A* out, const KernelArgs& args) {
    const D d;
    const int64_t whole = n / L::kLanes * L::kLanes;
    int64_t r = 0;
    for (; r + N <= rows; r += N, p += N * row_stride) {
      V acc[N * NV];
      TENFOLD_UNROLL
      for (int64_t j = 0; j < N; ++j) {
        Prefetch(p + j * row_stride);
        TENFOLD_UNROLL
        for (int64_t v = 0; v < NV; ++v)
          acc[j * NV + v] = L::Map(op, p + j * row_stride + v * N, Op::RowBias(d, args, r + j));
      }
      for (int64_t i = L::kLanes; i < whole; i += L::kLanes) {
        TENFOLD_UNROLL
        for (int64_t j = 0; j < N; ++j) {
          const R* q = p + j * row_stride + i;
          Prefetch(q);
          TENFOLD_UNROLL
          for (int64_t v = 0; v < NV; ++v)
            acc[j * NV + v] = L::Add(op, acc[j * NV + v], q + v * N, Op::RowBias(d, args, r + j));
        }
      }
      if (whole < n) {
        TENFOLD_UNROLL
        for (int64_t j = 0; j < N; ++j) {
          TENFOLD_UNROLL
          for (int64_t v = 0; v < NV; ++v)
            acc[j * NV + v] =
                op.Combine(d, acc[j * NV + v],
                           L::MapTail(op, p + j * row_stride + whole + v * N,
                                      Op::RowBias(d, args, r + j), n - whole - v * N));
        }
      }
      V lanes[N];
      TENFOLD_UNROLL
      for (int64_t j = 0; j < N; ++j) lanes[j] = L::FoldVectors(op, acc + j * NV);
      hn::StoreU(L::FoldRows(op, lanes), d, out + r);
    }
    return r;
  }

  // Dense rows of 2, 3 or 4: de-interleaving loads, a vector for each place in the row.
  static HWY_INLINE int64_t Interleaved(const Op& op, const R* p, int64_t rows, int64_t n, A* out,
                                        const KernelArgs& args) {
    const typename L::DR dr;
    const D d;
    int64_t r = 0;
    for (; r + N <= rows; r += N, p += N * n) {
      for (int64_t k = 0; k < n; ++k) Prefetch(p + k * N);
      const auto bias = Op::ColumnBias(d, static_cast<const A*>(args.bias) + (args.bias ? r : 0),
                                       static_cast<size_t>(N));
      hn::Vec<typename L::DR> x0, x1, x2, x3;
      V v;
      if (n == 2) {
        hn::LoadInterleaved2(dr, p, x0, x1);
        v = op.Combine(d, op.Map(d, x0, bias), op.Map(d, x1, bias));
      } else if (n == 3) {  // halves at distance 2, then 1
        hn::LoadInterleaved3(dr, p, x0, x1, x2);
        v = op.Combine(d, op.Combine(d, op.Map(d, x0, bias), op.Map(d, x2, bias)),
                       op.Map(d, x1, bias));
      } else {
        hn::LoadInterleaved4(dr, p, x0, x1, x2, x3);
        v = op.Combine(d, op.Combine(d, op.Map(d, x0, bias), op.Map(d, x2, bias)),
                       op.Combine(d, op.Map(d, x1, bias), op.Map(d, x3, bias)));
      }
      hn::StoreU(v, d, out + r);
    }
    return r;
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
