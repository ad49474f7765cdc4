// How a contraction whose innermost batch axis is contiguous everywhere becomes products side by
// side, one to a lane: which axes are rows, columns and terms, which go around. Called by
// lanes.cpp.
#pragma once

#include "einsum/axis_list.hpp"

namespace tenfold::einsum_detail {

struct LanesPlan {
  DType acc = DType::kF32;
  PairAxis lane{};                   // unit strides
  PairAxis row{}, column{}, term{};  // size 1 where there is no axis
  AxisList outer;                    // the other axes of batch, m and n
  AxisList sums;                     // the other axes of k: the second and later positions add to c
                                     // (in the order of k, its longest axis innermost)
};

// False if the kernel can't run the pair.
bool plan_lanes(const Pair& pair, LanesPlan& plan);
// Nanoseconds on one thread; depends on the pair alone.
double lanes_cost(const LanesPlan& plan);
// Of one product of vectors of the widest target, so many at a time side by side.
double lanes_product_ns(const LanesPlan& plan);

}  // namespace tenfold::einsum_detail
