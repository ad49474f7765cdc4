#include "einsum/dot_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "einsum/cost.hpp"
#include "einsum/gapless.hpp"
#include "einsum/product_sums.hpp"
#include "kernels/product_kernels.hpp"

namespace tenfold::einsum_detail {
namespace {

// Fewer rows than this don't fill the kernel's transposing fold.
constexpr std::int64_t kFewRows = 8;
// Rows that it folds at once.
constexpr std::int64_t kFullRows = 16;
// Bytes of rows that other columns read again at once: most of a first cache, or half of a second.
constexpr double kFirstTileBytes = 24 << 10, kSecondTileBytes = 384 << 10;

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
  for (AxisList* axes : {&plan.units, &plan.outer, &plan.n_axes})
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

bool has_gaps(const AxisList& axes, std::int64_t PairAxis::*stride) {
  for (int i = 0; i + 1 < axes.size(); ++i)
    if (axes[i].*stride != axes[i + 1].*stride * axes[i + 1].size) return true;
  return false;
}

// What the kernel can't read as it lies is gathered.
void choose_packing(DotPlan& plan) {
  plan.pack_a = plan.n.a != 1 || has_gaps(plan.n_axes, &PairAxis::a);
  plan.pack_b = plan.n.b != 1 || has_gaps(plan.n_axes, &PairAxis::b);
  const auto exists = [](DType a, DType b) { return kernels::find_dot(a, b) != nullptr; };
  const PairAxis& row = plan.batched ? plan.outer[plan.outer.size() - 1] : plan.row;
  // A long vector that all rows share is converted once.
  if (row.b == 0 && plan.n.size >= kernels::kLeaf && row.size >= kFewRows && !plan.pack_a &&
      exists(plan.a_type, plan.acc) && plan.b_type != plan.acc)
    plan.pack_b = true;
  if (exists(plan.kernel_a(), plan.kernel_b())) return;
  if (row.a != 0 && row.b != 0 && exists(plan.kernel_b(), plan.kernel_a())) return swap_plan(plan);
  plan.pack_b = true;
  plan.pack_a = plan.pack_a || !exists(plan.a_type, plan.acc);
}

// Rows that lie side by side are gathered by transposes, if they fill a good part of a vector or
// are few and nothing lies between.
void choose_turning(DotPlan& plan) {
  const PairAxis& row = plan.batched ? plan.outer[plan.outer.size() - 1] : plan.row;
  const auto turn = [&](Turned side, bool packs, std::int64_t PairAxis::*stride) {
    if (!packs || row.*stride != 1 || std::abs(plan.n.*stride) == 1) return;
    const bool apart = row.size >= 2 && row.size <= 4 && plan.n.*stride == row.size &&
                       !plan.batched && !has_gaps(plan.n_axes, stride);
    if (row.size < kFewRows && !apart) return;
    plan.turned = side;
    plan.apart = apart;
  };
  turn(Turned::kA, plan.pack_a, &PairAxis::a);
  turn(Turned::kB, plan.pack_b, &PairAxis::b);
}

// One row of a call of `rows`, in the L1 cache: nanoseconds.
double row_ns(const DotPlan& plan, const PairAxis& row, double rows) {
  const auto n = static_cast<double>(plan.n.size);
  // Vectors of 16 lanes in whole: two loads, a product and a sum each, half of them at a time.
  const double vectors = std::ceil(n / 16) * 16 / lanes_of(plan.acc);
  const double terms = vectors * 1.5 / kVectorOpsPerNs;
  if (rows < kFewRows) return terms + 4;  // folded one by one
  const bool dense = row.a == plan.n.size && (row.b == 0 || row.b == plan.n.size);
  if (n <= 4 && dense) return 0.08 * (n - 1);                         // de-interleaved when loaded
  if (n <= static_cast<double>(kernels::kLeaf)) return terms + 0.65;  // folded 8 or 16 at a time
  return terms + 2 * std::ceil(n / static_cast<double>(kernels::kLeaf));
}

// Of the units, the innermost axis along which a stays.
void choose_again(DotPlan& plan) {
  if (plan.batched || plan.row.a == 0) return;
  for (int i = plan.units.size() - 1; i >= 0; --i) {
    if (plan.units[i].a != 0) continue;
    plan.again = plan.units[i];
    plan.units = without(plan.units, i);
    return;
  }
}

// To read the operands in `calls` calls, if the arithmetic took no time. They come from memory
// once; again from the second level, or the third if there is more than that holds.
double reads_ns(const DotPlan& plan, const Pair& pair, double rows, double calls) {
  constexpr double kSecondBytesPerNs = 170, kThirdBytesPerNs = 65;
  const double distinct = distinct_bytes(pair), row_bytes = plan.row_bytes();
  const auto from = [&](double bytes) {
    return bytes / (distinct > static_cast<double>(kCacheBytes) && bytes > 1.5 * distinct
                        ? kThirdBytesPerNs
                        : kSecondBytesPerNs);
  };
  double again = from(rows * row_bytes / static_cast<double>(plan.again.size));
  if (plan.again.size > 1) {
    if (static_cast<double>(plan.tile()) * row_bytes > kFirstTileBytes)
      again += rows * row_bytes / kSecondBytesPerNs;
    again +=
        from(calls * static_cast<double>(plan.n.size) * static_cast<double>(size_of(plan.b_type)));
  }
  return std::max(read_ns(distinct), again);
}

double cost_of(const DotPlan& plan, const Pair& pair) {
  const auto n = static_cast<double>(plan.n.size);
  const auto units = static_cast<double>(plan.units.extent() * plan.again.size);
  const double sums = units * static_cast<double>(plan.row.size);
  const double all_rows = sums * static_cast<double>(plan.outer.extent());
  const PairAxis& row = plan.batched ? plan.outer[plan.outer.size() - 1] : plan.row;
  const auto in_call =
      static_cast<double>(plan.batched ? std::min(row.size, kDotRows) : plan.tile());
  const double calls = all_rows / in_call, call_ns = plan.batched ? 60 : 15;
  const double streamed = reads_ns(plan, pair, sums, calls);
  double packed = 0;
  const auto pack = [&](bool packs, bool turns, std::int64_t stride, std::int64_t row_stride) {
    const double turn = plan.apart ? 0.1 : 0.3;
    const double each = turns ? turn : std::abs(stride) == 1 ? 0.4 : 0.9;
    if (packs) packed += (row_stride == 0 ? calls : all_rows) * n * each / kScalarOpsPerNs;
  };
  pack(plan.pack_a, plan.turned == Turned::kA, plan.n.a, row.a);
  pack(plan.pack_b, plan.turned == Turned::kB, plan.n.b, row.b);
  // Sums that are not side by side in the output are scattered.
  constexpr double kScatterNs = 0.5;
  if (plan.row.c != 1 && plan.row.size > 1) packed += kScatterNs * sums;
  return kCallNs + std::max(all_rows * row_ns(plan, row, in_call), streamed) + packed +
         calls * call_ns;
}

// Summed axes that are one but for gaps: [begin, end).
struct SumRange {
  std::size_t begin, end;
};

// The plan that sums `inner` inside the kernel. Bit i of `joined`: k[i] and k[i + 1] are one axis.
// `plan` comes as it was made.
bool plan_along(const Pair& pair, const AxisList& kept, SumRange inner, std::uint64_t joined,
                DotPlan& plan) {
  plan.a_type = pair.a_type;
  plan.b_type = pair.b_type;
  plan.c_type = pair.c_type;
  plan.acc = acc_type(pair.a_type);
  for (std::size_t i = 0; i < pair.k.size(); ++i) {
    const bool inside = i >= inner.begin && i < inner.end;
    if (!inside && (joined >> i & 1) != 0) plan.joined |= std::uint64_t{1} << plan.outer.size();
    if (!(inside ? plan.n_axes : plan.outer).push(pair.k[i])) return false;
  }
  plan.n = plan.n_axes[plan.n_axes.size() - 1];
  plan.n.size = plan.n_axes.extent();
  const int row = choose_row(kept);
  plan.row = row < 0 ? kNoAxis : kept[row];
  plan.units = without(kept, row);
  const bool a_unit = std::abs(plan.n.a) == 1, b_unit = std::abs(plan.n.b) == 1;
  if (!a_unit && !b_unit) return false;
  // The vector that many rows share is b.
  if (!a_unit || (b_unit && plan.row.a == 0 && plan.row.b != 0)) swap_plan(plan);
  choose_batched(plan);
  choose_packing(plan);
  choose_turning(plan);
  choose_again(plan);
  plan.cost = cost_of(plan, pair);
  return true;
}

// The summed axis of the cheapest plan, and that plan; the number of axes if there is none.
std::size_t cheapest_along(const Pair& pair, DotPlan& plan) {
  AxisList kept;
  std::size_t best = pair.k.size();
  if (!kept_axes(pair, kept)) return best;
  for (std::size_t i = 0; i < pair.k.size(); ++i) {
    if (!is_unit(pair.k[i])) continue;
    DotPlan candidate;
    if (!plan_along(pair, kept, {i, i + 1}, 0, candidate)) continue;
    if (best < pair.k.size() && candidate.cost >= plan.cost) continue;
    plan = candidate;
    best = i;
  }
  return best;
}

}  // namespace

double DotPlan::row_bytes() const {
  return static_cast<double>(n.size) * static_cast<double>(outer.extent()) *
         static_cast<double>(size_of(a_type));
}

std::int64_t DotPlan::tile() const {
  const std::int64_t most = std::min(row.size, kDotRows);
  if (again.size == 1 || most <= kFullRows) return most;
  const bool first = kFullRows * row_bytes() <= kFirstTileBytes;
  const auto rows =
      static_cast<std::int64_t>((first ? kFirstTileBytes : kSecondTileBytes) / row_bytes());
  return std::clamp(rows / kFullRows * kFullRows, kFullRows, most);
}

bool accepts_dot(const Pair& pair) {
  return pair.has_b && !pair.one_chain && fits_axis_lists(pair) &&
         std::any_of(pair.k.begin(), pair.k.end(), is_unit);
}

bool plan_dot(const Pair& pair, DotPlan& plan) {
  const std::size_t count = pair.k.size();
  if (!pair.has_b || pair.one_chain || count == 0 || count > AxisList::kMost) return false;
  if (count == 1) return cheapest_along(pair, plan) == 0;
  const Gapless gapless(pair);
  if (gapless.unchanged()) return cheapest_along(pair, plan) < count;
  const Pair dense = gapless.pair();
  const std::size_t inner = cheapest_along(dense, plan);
  if (inner == dense.k.size()) return false;
  // The same axis of the pair itself.
  std::uint64_t joined = 0;
  SumRange range{0, 0};
  for (std::size_t i = 0, axis = 0; i < count; ++i) {
    if (axis == inner) range.end = i + 1;
    if (axis < inner) range.begin = i + 1;
    if (i + 1 == count) break;
    if (gapless.joined(i))
      joined |= std::uint64_t{1} << i;
    else
      ++axis;
  }
  AxisList kept;
  DotPlan real;
  if (!kept_axes(pair, kept) || !plan_along(pair, kept, range, joined, real)) return false;
  plan = real;
  return true;
}

}  // namespace tenfold::einsum_detail
