#include "einsum/columns_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "einsum/cost.hpp"
#include "einsum/product_sums.hpp"
#include "kernels/product_kernels.hpp"

namespace tenfold::einsum_detail {

using kernels::kChain;

std::int64_t ColumnsPlan::tile_columns() const {
  const bool rereads = packs_blocks() || turn.size > 1;
  return std::min(column.size, rereads ? kColumnsFew : kColumnsBytes / bytes_in(acc));
}

std::int64_t ColumnsPlan::tile_rows(std::int64_t columns) const {
  const std::int64_t terms = std::min(k.extent(), kChain);
  std::int64_t most = (packs_rows() ? kColumnsFew : kColumnsBytes / bytes_in(acc)) / columns;
  if (turn.size > 1) {
    const std::int64_t fit = kTurnBytes / (terms * columns * bytes_in(m_type));
    most = std::min(most / kSideBySide, std::max(fit, kSideBySide));
  } else if (k.extent() > kChain && regular() && !packs()) {
    // Rows that share gathered weights or a table of places pay for it together; these share
    // nothing and are finished one after another, in the order of memory.
    most = 1;
  }
  return std::clamp<std::int64_t>(most, 1, row.size);
}

std::int64_t ColumnsPlan::tile_turns(std::int64_t columns, std::int64_t rows) const {
  std::int64_t most = kColumnsBytes / bytes_in(acc) / (columns * rows);
  if (pack_w) most = kColumnsFew / ((paired ? columns : 1) * (row.b == 0 ? 1 : rows));
  return std::clamp<std::int64_t>(most, 1, turn.size);
}

ColumnsTiling tiling_of(const ColumnsPlan& plan, int threads) {
  // Columns of a piece: whole cache lines, and not a few of them.
  constexpr std::int64_t kColumnGrain = 64;
  ColumnsTiling t{};
  t.columns = plan.tile_columns();
  t.rows = plan.tile_rows(t.columns);
  t.turns = plan.tile_turns(t.columns, t.rows);
  const std::int64_t wanted = threads > 1 ? threads * kPiecesPerThread : 1;
  std::int64_t pieces = plan.units.extent();
  const auto cut = [&](std::int64_t size, std::int64_t tile, std::int64_t grain) {
    if (pieces < wanted)
      tile = std::min(tile, round_up(pieces_of(size, pieces_of(wanted, pieces)), grain));
    pieces *= pieces_of(size, tile);
    return tile;
  };
  t.rows = cut(plan.row.size, t.rows, kSideBySide);
  t.turns = cut(plan.turn.size, t.turns, kSideBySide);
  t.columns = cut(plan.column.size, t.columns, kColumnGrain);
  t.down = pieces_of(plan.row.size, t.rows);
  t.deep = pieces_of(plan.turn.size, t.turns);
  t.across = pieces_of(plan.column.size, t.columns);
  return t;
}

namespace {

// Takes an axis out of the units: the longest for which `fits`.
template <class Fits>
PairAxis take_longest(AxisList& units, Fits fits) {
  int best = -1;
  for (int i = 0; i < units.size(); ++i)
    if (fits(units[i]) && (best < 0 || units[i].size > units[best].size)) best = i;
  if (best < 0) return kNoAxis;
  const PairAxis axis = units[best];
  units = without(units, best);
  return axis;
}

// Rows have the weights in common if there is such an axis; along turns the matrix repeats.
void choose_row_and_turn(ColumnsPlan& plan) {
  plan.row = take_longest(plan.units, [](const PairAxis& x) { return x.a != 0 && x.b == 0; });
  if (plan.row.size == 1)
    plan.row = take_longest(plan.units, [](const PairAxis& x) { return x.a != 0; });
  plan.turn = take_longest(plan.units, [](const PairAxis& x) { return x.a == 0; });
}

double cost_of(const ColumnsPlan& plan, const Pair& pair) {
  const auto real = [](std::int64_t i) { return static_cast<double>(i); };
  const double columns = real(plan.column.size), k = real(plan.k.extent());
  const double turns = real(plan.turn.size), units = real(plan.units.extent());
  const double rows = real(plan.row.size) * units * turns;
  const std::int64_t tile_columns = plan.tile_columns();
  const double tile_rows = real(plan.tile_rows(tile_columns));
  const double tile_turns = real(plan.tile_turns(tile_columns, plan.tile_rows(tile_columns)));
  // For each vector of columns a load or two and a fused multiply-add; a load and a store of the
  // sum where it does not stay in a register.
  const double vectors = std::ceil(columns / lanes_of(plan.acc));
  const bool wide = columns * real(bytes_in(plan.acc)) > static_cast<double>(kNarrowBytes);
  const double chains = std::ceil(k / static_cast<double>(kChain));
  const bool shares = plan.row.size > 1 && plan.row.b == 0 && !wide;
  // Four turns at a time share each load, those that are left share nothing.
  constexpr double kFour = 4, kSharedStep = 0.95, kLeftStep = 2.2;
  const double left = std::fmod(tile_turns, kFour);
  const double turned = ((tile_turns - left) * kSharedStep + left * kLeftStep) / tile_turns;
  const double step = tile_turns >= kFour ? turned : wide ? 2 : shares ? 1.25 : 1.75;
  const double arithmetic = rows * k * (vectors * step + 1 / tile_turns) / kVectorOpsPerNs +
                            rows * chains * (2 + vectors * 2 / kVectorOpsPerNs);
  const double bytes = rows / tile_turns * k * columns * real(bytes_in(plan.m_type));
  const double streamed = std::max(read_ns(distinct_bytes(pair)), bytes / kCacheBytesPerNs);
  double packed = 0;
  const auto pack = [&](double elements, std::int64_t stride) {
    packed += elements * (std::abs(stride) == 1 ? 0.4 : 0.6) / kScalarOpsPerNs;
  };
  if (plan.pack_m) pack(rows / tile_turns * k * columns, plan.column.a);
  if (plan.pack_w)
    pack(rows / (plan.row.b == 0 ? tile_rows : 1) * k * (plan.paired ? columns : 1), plan.column.b);
  const double outputs =
      rows * columns * (plan.column.c == 1 ? 1 / lanes_of(plan.acc) : 0.5 / kScalarOpsPerNs);
  // Calls, and the table of places of each chain where the axes do not step as one.
  const double tiles = rows / tile_rows / tile_turns;
  const double tables = plan.regular() ? 0 : tiles * k;
  return kCallNs + std::max(arithmetic, streamed) + packed + outputs + tiles * chains * 20 + tables;
}

void swap_plan(ColumnsPlan& plan) {
  plan.swapped = !plan.swapped;
  std::swap(plan.m_type, plan.w_type);
  for (AxisList* axes : {&plan.units, &plan.k})
    for (int i = 0; i < axes->size(); ++i) swap_operands((*axes)[i]);
  swap_operands(plan.column);
}

// The plan with a kept axis as the columns and an operand (a, or b if `swap`) as the matrix. `plan`
// comes as it was made.
bool plan_with(const Pair& pair, const AxisList& kept, int column, bool swap, ColumnsPlan& plan) {
  if (std::abs(swap ? kept[column].b : kept[column].a) != 1) return false;
  plan.m_type = pair.a_type;
  plan.w_type = pair.b_type;
  plan.c_type = pair.c_type;
  plan.acc = acc_type(pair.a_type);
  plan.column = kept[column];
  plan.units = without(kept, column);
  for (const PairAxis& axis : pair.k)
    if (!plan.k.push(axis)) return false;
  if (swap) swap_plan(plan);
  choose_row_and_turn(plan);
  plan.paired = plan.column.b != 0;
  const kernels::ColumnsFns* fns = kernels::find_columns(plan.m_type);
  plan.pack_m = plan.column.a != 1 || fns == nullptr || (plan.paired && fns->paired == nullptr);
  plan.pack_w = plan.w_type != plan.acc || (plan.paired && plan.column.b != 1);
  plan.cost = cost_of(plan, pair);
  return true;
}

}  // namespace

bool accepts_columns(const Pair& pair) {
  if (!pair.has_b || pair.one_chain || pair.k.empty() || !fits_axis_lists(pair)) return false;
  for (const PairAxes* axes : {&pair.batch, &pair.m, &pair.n})
    if (std::any_of(axes->begin(), axes->end(), is_unit)) return true;
  return false;
}

bool plan_columns(const Pair& pair, ColumnsPlan& plan) {
  AxisList kept;
  if (!pair.has_b || pair.one_chain || pair.k.empty() || !kept_axes(pair, kept)) return false;
  bool found = false;
  for (int i = 0; i < kept.size(); ++i)
    for (const bool swap : {false, true}) {
      ColumnsPlan candidate;
      if (!plan_with(pair, kept, i, swap, candidate)) continue;
      if (!found || candidate.cost < plan.cost) plan = candidate;
      found = true;
    }
  return found;
}

}  // namespace tenfold::einsum_detail
