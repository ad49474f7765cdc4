#include "einsum/lanes_plan.hpp"

#include <algorithm>
#include <cmath>

#include "einsum/cost.hpp"
#include "einsum/gapless.hpp"

namespace tenfold::einsum_detail {
namespace {

constexpr PairAxis kNoAxis{1, 0, 0, 0};

const PairAxis* largest(const PairAxes& axes) {
  const PairAxis* best = nullptr;
  for (const PairAxis& axis : axes)
    if (best == nullptr || axis.size >= best->size) best = &axis;
  return best;
}

bool push_others(const PairAxes& axes, const PairAxis* but, AxisList& to) {
  return std::all_of(axes.begin(), axes.end(),
                     [&](const PairAxis& axis) { return &axis == but || to.push(axis); });
}

}  // namespace

bool plan_lanes(const Pair& pair, LanesPlan& plan) {
  plan.acc = acc_type(pair.c_type);
  if (!pair.has_b || pair.a_type != plan.acc || pair.b_type != plan.acc || pair.c_type != plan.acc)
    return false;
  const auto lane = std::find_if(pair.batch.begin(), pair.batch.end(), [](const PairAxis& axis) {
    return axis.a == 1 && axis.b == 1 && axis.c == 1;
  });
  if (lane == pair.batch.end()) return false;
  const PairAxis *row = largest(pair.m), *column = largest(pair.n);
  if (!longest_sum_last(pair, plan.sums)) return false;
  plan.lane = *lane;
  plan.row = row == nullptr ? kNoAxis : *row;
  plan.column = column == nullptr ? kNoAxis : *column;
  const int sums = plan.sums.size();
  plan.term = sums == 0 ? kNoAxis : plan.sums[sums - 1];
  plan.sums.truncate(std::max(sums - 1, 0));
  return push_others(pair.batch, &*lane, plan.outer) && push_others(pair.m, row, plan.outer) &&
         push_others(pair.n, column, plan.outer);
}

double lanes_product_ns(const LanesPlan& plan) {
  constexpr double kRows = 6, kColumns = 4;  // of the blocks of the widest target
  constexpr double kStoresPerNs = 8;
  constexpr double kAddsPerNs = 6.5, kBlockNs = 1;
  const auto m = static_cast<double>(plan.row.size), n = static_cast<double>(plan.column.size),
             k = static_cast<double>(plan.term.size);
  const double row_blocks = std::ceil(m / kRows), column_blocks = std::ceil(n / kColumns);
  const double adds = m * n * k, loads = k * (m * column_blocks + n * row_blocks);
  return std::max(adds, loads) / kAddsPerNs + m * n / kStoresPerNs +
         kBlockNs * row_blocks * column_blocks;
}

double lanes_cost(const LanesPlan& plan) {
  const double vectors = std::ceil(static_cast<double>(plan.lane.size) / lanes_of(plan.acc));
  const double products =
      vectors * static_cast<double>(plan.outer.extent()) * static_cast<double>(plan.sums.extent());
  const auto bytes = [&](std::int64_t PairAxis::*stride) {
    double elements = static_cast<double>(plan.lane.size);
    for (const AxisList* axes : {&plan.outer, &plan.sums})
      for (const PairAxis& axis : *axes)
        if (axis.*stride != 0) elements *= static_cast<double>(axis.size);
    for (const PairAxis& axis : {plan.row, plan.column, plan.term})
      if (axis.*stride != 0) elements *= static_cast<double>(axis.size);
    return elements * static_cast<double>(size_of(plan.acc));
  };
  const double a = bytes(&PairAxis::a), b = bytes(&PairAxis::b), c = bytes(&PairAxis::c);
  return kCallNs + products * lanes_product_ns(plan) + level_ns(a + b + c);
}

}  // namespace tenfold::einsum_detail
