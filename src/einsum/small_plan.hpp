// How a contraction becomes loops around products of small matrices: which axes are the rows,
// columns and terms of the product in registers, which go around it, which operands are gathered.
// Called by small.cpp.
#pragma once

#include "einsum/axis_list.hpp"

namespace tenfold::einsum_detail {

// What is gathered (and so has its type changed, or its axes put in order) is a dense block of at
// most so many elements: 32 KB of f64 stay in L1.
inline constexpr std::int64_t kMostGathered = 4096;

struct SmallPlan {
  bool swapped = false;  // a and b have changed places, m and n too
  DType acc = DType::kF32, a_type = DType::kF32, b_type = DType::kF32, c_type = DType::kF32;
  // The product: strides in elements; size 1 where there is no axis.
  PairAxis row{}, column{}, term{};
  AxisList outer;  // batch, and the axes of m and n that are not the product's
  AxisList sums;   // k but for its last axis: the second and later positions add to c
  // If any operand is gathered, the product takes all of m, n and k.
  bool gather_a = false, gather_b = false, gather_c = false;
  bool turns = false;       // b is dense along k: its columns are packed, turned in registers
  AxisList batch, m, n, k;  // of the pair; each sum is one chain in the order of k

  bool gathers() const { return gather_a || gather_b || gather_c; }
};

// False if the kernel can't run the pair.
bool plan_small(const Pair& pair, SmallPlan& plan);
// Nanoseconds on one thread. Depends on shapes, strides and types, not on the machine, so that the
// choice of the kernel (and with it the bits) does not either.
double small_cost(const SmallPlan& plan);
// Of one run of the product: without the gathering.
double product_ns(const SmallPlan& plan, std::int64_t rows, std::int64_t columns);

// What of a 1 MB L2 cache is in use at a time: columns of b, and half of that of rows of a.
inline constexpr std::int64_t kSmallL2 = 512 << 10;
// Rows of a, b and c of 16 bytes, with those of a, and of c, side by side.
bool is_squares(const SmallPlan& plan);
// Few columns, many rows of a that are dense along k: a turned in registers, vectors along the
// rows.
bool is_tall(const SmallPlan& plan);
// Rows of b whose stride is a multiple of a large power of two fall into few sets of the L2 cache,
// and put each other out of it although they would fit by their size.
bool thrashes(const SmallPlan& plan);
// Then they are copied side by side, so many terms at a time, if enough rows of a pass over them;
// so they are where a row of a is long.
inline constexpr std::int64_t kPackedRowBytes = 4096;
bool packs_columns(const SmallPlan& plan);

}  // namespace tenfold::einsum_detail
