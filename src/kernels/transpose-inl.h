// Transposes squares of elements in registers, for elements of 1, 2, 4, 8 and 16 bytes.
// Per-target: included once for each SIMD target by layout_kernels.cc.
//
// A vector is a row of 128-bit blocks. A square of N rows of N elements is turned in two steps:
//   1. inside the blocks: of LB rows (LB elements make a block), block b of each is an LB x LB
//      square. log2(LB) perfect shuffles turn all these squares at once: a shuffle interleaves row
//      i with row i + LB/2 and puts the halves at rows 2i and 2i + 1.
//   2. between the blocks: vector j of each of the N / LB groups of rows then holds columns j,
//      LB + j, 2 LB + j, …, a block each; a square of blocks, turned by exchanging halves and
//      neighbours.
#if defined(TENFOLD_KERNELS_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_TRANSPOSE_INL_H_
#undef TENFOLD_KERNELS_TRANSPOSE_INL_H_
#else
#define TENFOLD_KERNELS_TRANSPOSE_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// An element of 16 bytes, which is two lanes.
struct Block16 {
  uint64_t low, high;
};

template <class U>
struct Square {
  using Lane = std::conditional_t<sizeof(U) == 16, uint64_t, U>;
  using D = hn::ScalableTag<Lane>;
  using V = hn::Vec<D>;
  static constexpr int64_t N = hn::MaxLanes(D()) * sizeof(Lane) / sizeof(U);  // rows and columns
  static constexpr int64_t LB = 16 / sizeof(U);                               // elements of a block
  static constexpr int64_t NB = N / LB;                                       // blocks of a vector

  // Step 1: one group of LB rows.
  static HWY_INLINE void TurnBlocks(V* r) {
    TENFOLD_UNROLL
    for (int64_t size = 1; size < LB; size *= 2) {
      V turned[LB];
      TENFOLD_UNROLL
      for (int64_t i = 0; i < LB / 2; ++i) {
        turned[2 * i] = hn::InterleaveLower(D(), r[i], r[i + LB / 2]);
        turned[2 * i + 1] = hn::InterleaveUpper(D(), r[i], r[i + LB / 2]);
      }
      TENFOLD_UNROLL
      for (int64_t i = 0; i < LB; ++i) r[i] = turned[i];
    }
  }

  // Step 2: vector j of each group to columns j, LB + j, …; columns lie `step` vectors apart.
  static HWY_INLINE void TurnBetween(const V* groups, int64_t step, V* columns) {
    const D d;
    if constexpr (NB == 1) {
      columns[0] = groups[0];
    } else if constexpr (NB == 2) {
      columns[0] = hn::ConcatLowerLower(d, groups[step], groups[0]);
      columns[1] = hn::ConcatUpperUpper(d, groups[step], groups[0]);
    } else {
      static_assert(NB == 4);
      const V even_low = hn::ConcatLowerLower(d, groups[2 * step], groups[0]);
      const V odd_low = hn::ConcatLowerLower(d, groups[3 * step], groups[step]);
      const V even_high = hn::ConcatUpperUpper(d, groups[2 * step], groups[0]);
      const V odd_high = hn::ConcatUpperUpper(d, groups[3 * step], groups[step]);
      columns[0] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd_low), even_low);
      columns[1] = hn::OddEvenBlocks(odd_low, hn::SwapAdjacentBlocks(even_low));
      columns[2] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd_high), even_high);
      columns[3] = hn::OddEvenBlocks(odd_high, hn::SwapAdjacentBlocks(even_high));
    }
  }

  // load(i) gives row i, store(i, v) takes column i, in the order of i.
  template <class Load, class Store>
  static HWY_INLINE void Transpose(const Load& load, const Store& store) {
    V rows[N];
    if constexpr (sizeof(U) >= 4) {  // fits the registers
      TENFOLD_UNROLL
      for (int64_t g = 0; g < NB; ++g) TurnGroup(load, g, rows);
      V columns[N];
      TENFOLD_UNROLL
      for (int64_t j = 0; j < LB; ++j) TurnBetween(rows + j, LB, columns + j * NB);
      TENFOLD_UNROLL
      for (int64_t b = 0; b < NB; ++b) {
        TENFOLD_UNROLL
        for (int64_t j = 0; j < LB; ++j) store(b * LB + j, columns[j * NB + b]);
      }
    } else {  // a group does; the groups meet in memory
      for (int64_t g = 0; g < NB; ++g) TurnGroup(load, g, rows);
      V columns[N];
      for (int64_t j = 0; j < LB; ++j) TurnBetween(rows + j, LB, columns + j * NB);
      for (int64_t b = 0; b < NB; ++b)
        for (int64_t j = 0; j < LB; ++j) store(b * LB + j, columns[j * NB + b]);
    }
  }

 private:
  template <class Load>
  static HWY_INLINE void TurnGroup(const Load& load, int64_t g, V* rows) {
    V r[LB];
    TENFOLD_UNROLL
    for (int64_t i = 0; i < LB; ++i) r[i] = load(g * LB + i);
    TurnBlocks(r);
    TENFOLD_UNROLL
    for (int64_t i = 0; i < LB; ++i) rows[g * LB + i] = r[i];
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
