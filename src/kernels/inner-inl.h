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

#include <algorithm>
#include <bit>

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
    if (n <= 4 && row_stride == n && n > 1) r = Interleaved(op, p, rows, n, out, args);
    if constexpr (sizeof(A) >= 4) {
      if (n <= L::kLeafSize) {
        if (n < L::kLanes) r = Narrow(op, p, r, rows, row_stride, n, out, args);
        if constexpr (!Op::kHeavy) {
          if (n >= L::kLanes && n <= kRowsAbreast)
            r = Abreast(op, p, rows, row_stride, n, out, args);
        }
      }
      if (n <= kRowsTogether) r = Together(op, p, r, rows, row_stride, n, out, args);
    }
    for (; r < rows; ++r) out[r] = Row(op, p + r * row_stride, n, Op::RowBias(D(), args, r));
  }

 private:
  // One leaf, possibly partial, folded to one vector. Any number of elements if the order is free.
  template <class B>
  static HWY_INLINE V LeafVector(const Op& op, const R* p, int64_t n, B bias) {
    const D d;
    V acc[NV];
    TENFOLD_UNROLL
    for (int64_t v = 0; v < NV; ++v) acc[v] = hn::Set(d, Op::Identity());
    constexpr int64_t kLine = 64 / sizeof(R), kStep = std::max(Op::kRun, 4) * L::kLanes;
    int64_t i = 0;
    TENFOLD_NO_UNROLL
    for (; i + kStep <= n; i += kStep) {
      if constexpr (Op::kRun > 1) {
        TENFOLD_UNROLL
        for (int64_t k = 0; k < kStep; k += kLine) Prefetch(p + i + k);
        TENFOLD_UNROLL
        for (int64_t v = 0; v < NV; ++v)
          op.template AddRun<Op::kRun>(d, acc + v, p + i + v * N, L::kLanes, bias);
      } else {
        TENFOLD_UNROLL
        for (int64_t k = 0; k < kStep; k += N) {
          if (k % kLine == 0) Prefetch(p + i + k);
          V& lane = acc[k / N % NV];
          lane = L::Add(op, lane, p + i + k, bias);
        }
      }
    }
    for (; i + L::kLanes <= n; i += L::kLanes) {
      TENFOLD_UNROLL
      for (int64_t v = 0; v < NV; ++v) acc[v] = L::Add(op, acc[v], p + i + v * N, bias);
    }
    if (i < n) {
      TENFOLD_UNROLL
      for (int64_t v = 0; v < NV; ++v)
        acc[v] = op.Combine(d, acc[v], L::MapTail(op, p + i + v * N, bias, n - i - v * N));
    }
    return L::FoldVectors(op, acc);
  }
  // N rows at a time, so that their lanes fold together.
  static constexpr int64_t kTogether = 8;  // leaves of a row
  static constexpr int64_t kRowsTogether = kTogether * L::kLeafSize;
  static HWY_INLINE int64_t Together(const Op& op, const R* p, int64_t r, int64_t rows,
                                     int64_t row_stride, int64_t n, A* out,
                                     const KernelArgs& args) {
    const D d;
    const int64_t leaf = Op::kOrdered ? L::kLeafSize : n;
    V lanes[kTogether * N];
    for (; r + N <= rows; r += N) {
      for (int64_t j = 0; j < N; ++j) {
        const R* q = p + (r + j) * row_stride;
        const auto bias = Op::RowBias(d, args, r + j);
        V* to = lanes + j;
        for (int64_t i = 0; i < n; i += leaf, to += N)
          *to = LeafVector(op, q + i, std::min(leaf, n - i), bias);
      }
      LeafStack<Op, V> stack;
      int64_t i = 0;
      const V* from = lanes;
      for (; n - i > leaf; i += leaf, from += N) stack.Push(op, L::FoldRows(op, from));
      hn::StoreU(stack.Finish(op, L::FoldRows(op, from)), d, out + r);
    }
    return r;
  }

  template <class B>
  static HWY_INLINE A Row(const Op& op, const R* p, int64_t n, B bias) {
    const D d;
    if constexpr (!Op::kOrdered) {
      return L::FoldLanes(op, d, LeafVector(op, p, n, bias));
    } else {
      constexpr int64_t kSize = L::kLeafSize;
      LeafStack<Op> stack;
      // N leaves at a time, in such lanes that neighbours meet first when the lanes fold in halves.
      for (; n > N * kSize; n -= N * kSize) {
        V lanes[N];
        for (int64_t j = 0; j < N; ++j, p += kSize)
          lanes[Reversed(j)] = LeafVector(op, p, kSize, bias);
        stack.Push(op, L::FoldLanes(op, d, L::FoldRows(op, lanes)),
                   std::countr_zero(static_cast<uint64_t>(N)));
      }
      for (; n > kSize; n -= kSize, p += kSize)
        stack.Push(op, L::FoldLanes(op, d, LeafVector(op, p, kSize, bias)));
      return stack.Finish(op, L::FoldLanes(op, d, LeafVector(op, p, n, bias)));
    }
  }
  // The bits of a lane's number in reverse.
  static constexpr int64_t Reversed(int64_t j) {
    int64_t reversed = 0;
    for (int64_t bit = 1; bit < N; bit *= 2, j /= 2) reversed = 2 * reversed + j % 2;
    return reversed;
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
