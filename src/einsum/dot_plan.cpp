#include "einsum/dot_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "einsum/cost.hpp"
#include "einsum/product_sums.hpp"
#include "kernels/product_kernels.hpp"

namespace tenfold::einsum_detail {
namespace {

// Fewer rows than this don't fill the kernel's transposing fold.
constexpr std::int64_t kFewRows = 8;

// Which kept axis gives the rows: the one along which the output is contiguous unless it is short,
// else the longest. -1: none.
int choose_row(const AxisList& kept) {
  int best = -1;
  for (int i = 0; i < kept.size(); ++i) {
    if (kept[i].c == 1 && kept[i].size >= kFewRows) return i;
    if (best < 0 || kept[i].size > kept[best].size) best = i;
  }
  return best;
}

void swap_plan(DotPlan& plan) {
  plan.swapped = !plan.swapped;
  std::swap(plan.a_type, plan.b_type);
  std::swap(plan.pack_a, plan.pack_b);
  swap_operands(plan.row);
  swap_operands(plan.n);
  for (AxisList* axes : {&plan.units, &plan.outer})
    for (int i = 0; i < axes->size(); ++i) swap_operands((*axes)[i]);
}

// Rows from a summed axis: where the kept one is shorter, or steps further and gains nothing by
// sharing a gathered b.
void choose_batched(DotPlan& plan) {
  if (plan.outer.empty()) return;
  const PairAxis& last = plan.outer[plan.outer.size() - 1];
  const bool shares = plan.row.b == 0 && plan.n.b != 1;
  const bool nearer = std::abs(last.a) < std::abs(plan.row.a) && last.size >= kFewRows;
  if (last.size <= plan.row.size && (!nearer || shares)) return;
  if (plan.row.size >= kFewRows && !nearer) return;
  if (plan.row.size > 1 && !plan.units.push(plan.row)) return;
  plan.row = kNoAxis;
  plan.batched = true;
}

// What the kernel can't read as it lies is gathered.
void choose_packing(DotPlan& plan) {
  plan.pack_a = plan.n.a != 1;
  plan.pack_b = plan.n.b != 1;
  const auto exists = [](DType a, DType b) { return kernels::find_dot(a, b) != nullptr; };
  if (exists(plan.kernel_a(), plan.kernel_b())) return;
  const PairAxis& row = plan.batched ? plan.outer[plan.outer.size() - 1] : plan.row;
  if (row.a != 0 && row.b != 0 && exists(plan.kernel_b(), plan.kernel_a())) return swap_plan(plan);
  plan.pack_b = true;
  plan.pack_a = plan.pack_a || !exists(plan.a_type, plan.acc);
}

// One row of a call of `rows`, in the L1 cache: nanoseconds.
double row_ns(const DotPlan& plan, const PairAxis& row, double rows) {
  const auto n = static_cast<double>(plan.n.size);
  // Vectors of 16 lanes in whole: two loads, a product and a sum each, half of them at a time.
  const double vectors = std::ceil(n / 16) * 16 / lanes_of(plan.acc);
  const double terms = vectors * 1.5 / kVectorOpsPerNs;
  if (rows < kFewRows) return terms + 5;  // folded one by one
  const bool dense = row.a == plan.n.size && (row.b == 0 || row.b == plan.n.size);
  if (n <= 4 && dense) return 0.5;                                 // de-interleaved when loaded
  if (n <= static_cast<double>(kernels::kLeaf)) return terms + 1;  // folded 8 or 16 at a time
  return terms + 2 * std::ceil(n / static_cast<double>(kernels::kLeaf));
}

double cost_of(const DotPlan& plan, const Pair& pair) {
  const auto n = static_cast<double>(plan.n.size);
  const auto all_rows = static_cast<double>(plan.units.extent()) *
                        static_cast<double>(plan.row.size) *
                        static_cast<double>(plan.outer.extent());
  const PairAxis& row = plan.batched ? plan.outer[plan.outer.size() - 1] : plan.row;
  const auto in_call = static_cast<double>(std::min(row.size, kDotRows));
  const double calls = all_rows / in_call, call_ns = plan.batched ? 60 : 5;
  // What units read again has left the second level if it does not fit.
  const double distinct = distinct_bytes(pair), read_again = all_rows * n * size_of(plan.a_type);
  const double again = distinct > static_cast<double>(kCacheBytes) && read_again > 1.5 * distinct
                           ? read_again / 65
                           : read_again / kCacheBytesPerNs;
  const double streamed = std::max(read_ns(distinct), again);
  double packed = 0;
  const auto pack = [&](bool packs, std::int64_t stride, std::int64_t row_stride) {
    if (packs)
      packed += (row_stride == 0 ? calls : all_rows) * n * (std::abs(stride) == 1 ? 0.4 : 0.9) /
                kScalarOpsPerNs;
  };
  pack(plan.pack_a, plan.n.a, row.a);
  pack(plan.pack_b, plan.n.b, row.b);
  return kCallNs + std::max(all_rows * row_ns(plan, row, in_call), streamed) + packed +
         calls * call_ns;
}

// The plan that sums `pair.k[axis]` inside the kernel.
bool plan_along(const Pair& pair, const AxisList& kept, std::size_t axis, DotPlan& plan) {
  plan = DotPlan{};
  plan.a_type = pair.a_type;
  plan.b_type = pair.b_type;
  plan.c_type = pair.c_type;
  plan.acc = acc_type(pair.a_type);
  plan.n = pair.k[axis];
  for (std::size_t i = 0; i < pair.k.size(); ++i)
    if (i != axis && !plan.outer.push(pair.k[i])) return false;
  const int row = choose_row(kept);
  plan.row = row < 0 ? kNoAxis : kept[row];
  plan.units = without(kept, row);
  const bool a_unit = std::abs(plan.n.a) == 1, b_unit = std::abs(plan.n.b) == 1;
  if (!a_unit && !b_unit) return false;
  // The vector that many rows share is b.
  if (!a_unit || (b_unit && plan.row.a == 0 && plan.row.b != 0)) swap_plan(plan);
  choose_batched(plan);
  choose_packing(plan);
  plan.cost = cost_of(plan, pair);
  return true;
}

}  // namespace

bool plan_dot(const Pair& pair, DotPlan& plan) {
  AxisList kept;
  if (!pair.has_b || !kept_axes(pair, kept)) return false;
  bool found = false;
  for (std::size_t i = 0; i < pair.k.size(); ++i) {
    DotPlan candidate;
    if (!plan_along(pair, kept, i, candidate)) continue;
    if (!found || candidate.cost < plan.cost) plan = candidate;
    found = true;
  }
  return found;
}

}  // namespace tenfold::einsum_detail
