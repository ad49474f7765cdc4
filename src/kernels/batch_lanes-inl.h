// Register blocks for many products side by side: rows x columns of vectors, one product to a lane.
// Per-target: included once for each SIMD target by batch_lanes_kernels.cc.
//
//   c[i, j, lanes] += a[i, k, lanes] * b[k, j, lanes]
#if defined(TENFOLD_KERNELS_BATCH_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_BATCH_LANES_INL_H_
#undef TENFOLD_KERNELS_BATCH_LANES_INL_H_
#else
#define TENFOLD_KERNELS_BATCH_LANES_INL_H_
#endif

#include <array>
#include <utility>

#include "kernels/batch_lanes_kernels.hpp"
#include "kernels/small-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

template <class T, int kRows, int kColumns>
struct BatchLanesBlock {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  using M = hn::Mask<D>;

  static void Run(const BatchLanesArgs& args, const void* a, const void* b, void* c, int64_t count,
                  bool add) {
    const D d;
    const auto lanes = static_cast<size_t>(args.lanes);
    const auto mask = hn::FirstN(d, lanes);
    auto pa = static_cast<const char*>(a), pb = static_cast<const char*>(b);
    auto pc = static_cast<char*>(c);
    for (int64_t t = 0; t < count; ++t) {
      V acc[kRows][kColumns];
      TENFOLD_UNROLL
      for (int i = 0; i < kRows; ++i) {
        TENFOLD_UNROLL
        for (int j = 0; j < kColumns; ++j)
          acc[i][j] =
              add ? LoadAt(d, mask, lanes, pc + i * args.c_row + j * args.c_column) : hn::Zero(d);
      }
      Sum(d, mask, lanes, args, pa, pb, acc);
      Store(d, mask, lanes == hn::Lanes(d), acc, pc, args);
      pa += args.a_next;
      pb += args.b_next;
      pc += args.c_next;
    }
  }

 private:
  static HWY_INLINE V LoadAt(D d, M mask, size_t lanes, const char* p) {
    return SmallLoad(d, mask, lanes, reinterpret_cast<const T*>(p));
  }

  static HWY_INLINE void Sum(D d, M mask, size_t lanes, const BatchLanesArgs& args, const char* a,
                             const char* b, V (&acc)[kRows][kColumns]) {
    for (int64_t k = args.k; k > 0; --k) {
      V vb[kColumns];
      TENFOLD_UNROLL
      for (int j = 0; j < kColumns; ++j) vb[j] = LoadAt(d, mask, lanes, b + j * args.b_column);
      TENFOLD_UNROLL
      for (int i = 0; i < kRows; ++i) {
        const V va = LoadAt(d, mask, lanes, a + i * args.a_row);
        TENFOLD_UNROLL
        for (int j = 0; j < kColumns; ++j) acc[i][j] = SmallMulAdd(va, vb[j], acc[i][j]);
      }
      a += args.a_k;
      b += args.b_k;
    }
  }

  static HWY_INLINE void Store(D d, M mask, bool whole, const V (&acc)[kRows][kColumns], char* p,
                               const BatchLanesArgs& args) {
    TENFOLD_UNROLL
    for (int i = 0; i < kRows; ++i) {
      TENFOLD_UNROLL
      for (int j = 0; j < kColumns; ++j) {
        T* const to = reinterpret_cast<T*>(p + i * args.c_row + j * args.c_column);
        if (whole)
          hn::StoreU(SmallCanonical(d, acc[i][j]), d, to);
        else
          hn::BlendedStore(SmallCanonical(d, acc[i][j]), mask, d, to);
      }
    }
  }
};

template <class T>
void PackBatchLanes(const BatchLanesPack& args, const void* from, void* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<size_t>(args.lanes);
  const auto mask = hn::FirstN(d, lanes);
  auto p = static_cast<const char*>(from);
  auto q = static_cast<char*>(to);
  for (int64_t i = 0; i < args.rows; ++i, p += args.row, q += args.to_row) {
    T* out = reinterpret_cast<T*>(q);
    for (int64_t j = 0; j < args.columns; ++j, out += hn::Lanes(d)) {
      // The columns after these, which are packed next, and come from memory the first time.
      __builtin_prefetch(p + j * args.column + args.columns * args.column, 0, 3);
      hn::Store(SmallLoad(d, mask, lanes, reinterpret_cast<const T*>(p + j * args.column)), d, out);
    }
  }
}

template <class T>
struct BatchLanesTable {
  // Accumulators, a row of b and one vector of a fit the registers: 32 on AVX-512, else 16.
  static constexpr int kRows = HWY_TARGET <= HWY_AVX3 ? 6 : 3, kColumns = 4;
  template <int... kBlock>
  static constexpr auto Blocks(std::integer_sequence<int, kBlock...>) {
    return std::array<BatchLanesFn, sizeof...(kBlock)>{
        &BatchLanesBlock<T, kBlock / kColumns + 1, kBlock % kColumns + 1>::Run...};
  }
  static constexpr auto kBlocks = Blocks(std::make_integer_sequence<int, kRows * kColumns>());
  static constexpr BatchLanesKernels kKernels{
      static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>())), kRows, kColumns, kBlocks,
      &PackBatchLanes<T>};
};

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
