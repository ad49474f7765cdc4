#include "einsum/block_plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "einsum/cost.hpp"
#include "einsum/gapless.hpp"

namespace tenfold::einsum_detail {
namespace {

using kernels::BlockType;
using kernels::PackWay;

// Sums of so many products are begun anew and added to those before: a block of rows by kBlockK
// fits the L2 cache, two panels the L1 cache or nearly. Part of the definition of the result's
// bits.
constexpr std::int64_t kBlockK = 512;
// Packed rows take half of a 1 MB L2 cache and leave the rest to the columns that stream through.
constexpr std::int64_t kRowsBytes = 480 << 10;
// Rows that fit whole are packed once, and the columns then in blocks that also stay in L2.
constexpr std::int64_t kCacheBlockBytes = 768 << 10;
// Packed columns otherwise: they live in the L3 cache and are read once for each block of rows.
constexpr std::int64_t kColumnsBytes = 4 << 20;
// Columns that can't be cut further.
constexpr std::int64_t kMostGrain = 4096;
// Sums apart from c: square blocks of them let the operands be packed least often.
// They share a thread's scratch with the packed columns.
constexpr std::int64_t kApartBytes = 4 << 20, kApartColumns = 1024;
constexpr std::int64_t kColumnsAndSumsBytes = kColumnsBytes + (2 << 20);
// Writing the output outweighs the arithmetic below so many k; its pieces are long from there on.
constexpr std::int64_t kShortK = 256, kLongRunBytes = 256;
// Output that is not read again soon: larger than most L3 caches' share of a thread.
constexpr std::int64_t kStreamBytes = 16 << 20;
// k is cut into parts for threads where it is this long and the output no larger than that.
constexpr std::int64_t kPartK = 4096, kMostParts = 8, kPartOutputs = 1 << 15;

std::int64_t round_up(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }

// Even blocks of at most `most`, each a multiple of `grain`.
std::int64_t even_block(std::int64_t n, std::int64_t most, std::int64_t grain) {
  most = std::max(most / grain * grain, grain);
  const std::int64_t blocks = (n + most - 1) / most;
  return round_up((n + blocks - 1) / blocks, grain);
}

bool has_backward(const Pair& pair) {
  for (const PairAxes* axes : {&pair.batch, &pair.m, &pair.n})
    for (const PairAxis& axis : *axes)
      if (axis.c < 0) return true;
  return false;
}

// Axes along which c runs backwards are turned around.
Pair turned_forward(Pair pair, std::int64_t base[3]) {
  for (PairAxes* axes : {&pair.batch, &pair.m, &pair.n})
    for (PairAxis& axis : *axes) {
      if (axis.c >= 0) continue;
      base[0] += (axis.size - 1) * axis.a;
      base[1] += (axis.size - 1) * axis.b;
      base[2] += (axis.size - 1) * axis.c;
      axis.a = -axis.a;
      axis.b = -axis.b;
      axis.c = -axis.c;
    }
  fold_pair(pair);
  return pair;
}

BlockType block_type(const Pair& pair) {
  const auto narrow = [](DType d) { return size_of(d) == 1 || d == DType::kI16; };
  switch (acc_type(pair.c_type)) {
    case DType::kF64:
      return BlockType::kF64;
    case DType::kI64:
      return BlockType::kI64;
    case DType::kI32:
      return narrow(pair.a_type) && narrow(pair.b_type) ? BlockType::kPairs : BlockType::kI32;
    default:
      // One chain may go on with a sum that the instruction would take for zero.
      return pair.a_type == DType::kBF16 && pair.b_type == DType::kBF16 && !pair.one_chain
                 ? BlockType::kBF16
                 : BlockType::kF32;
  }
}

// How many k, innermost first, lie side by side in an operand.
std::int64_t unit_k_run(const PairAxes& k, std::int64_t PairAxis::*stride) {
  std::int64_t run = 1;
  for (auto axis = k.rbegin(); axis != k.rend() && (*axis).*stride == run; ++axis)
    run *= axis->size;
  return run;
}

BlockSide make_side(const PairAxes& axes, std::int64_t PairAxis::*stride, DType dtype) {
  BlockSide side;
  side.dtype = dtype;
  side.extent = extent(axes);
  side.axes.reserve(axes.size());
  for (const PairAxis& axis : axes) side.axes.push_back({axis.size, axis.*stride, axis.c});
  return side;
}

// The way to pack along k, if there is one.
bool packs_along_k(BlockSide& side, const PairAxes& k, std::int64_t PairAxis::*stride,
                   BlockType type) {
  const std::int64_t run = unit_k_run(k, stride);
  // Shorter ones are no better than single elements. Pairs may not cross runs.
  if (run < 4) return false;
  if (kernels::is_pairs(type) && run % 2 != 0 && run != extent(k)) return false;
  side.way = PackWay::kAlongK;
  side.k_run = run;
  return true;
}

// Few outputs and a long k: only parts of k can keep threads busy.
bool cuts_k(const Pair& pair) {
  return !pair.one_chain && extent(pair.k) >= 2 * kPartK &&
         extent(pair.batch) * extent(pair.m) * extent(pair.n) <= kPartOutputs;
}

std::size_t unit_axis(const BlockSide& side) {
  std::size_t i = 0;
  while (i < side.axes.size() && side.axes[i].source != 1) ++i;
  return i;
}

// The output is far larger than the caches and little is summed: to write it from one end to the
// other saves more than to gather the rows costs.
bool rows_as_written(const BlockPlan& plan) {
  constexpr std::int64_t kWrittenPerGathered = 16;
  const std::int64_t outputs = plan.batches * plan.rows.extent * plan.columns.extent;
  return plan.k_extent * kWrittenPerGathered <= plan.columns.extent &&
         outputs * static_cast<std::int64_t>(size_of(plan.c_type)) > kStreamBytes;
}

// Rows may come in any order: the axis with unit stride goes inside.
void choose_rows(BlockPlan& plan) {
  BlockSide& rows = plan.rows;
  const std::size_t unit = unit_axis(rows);
  if (unit + 1 < rows.axes.size() && rows_as_written(plan)) return;
  if (unit < rows.axes.size()) {
    std::rotate(rows.axes.begin() + static_cast<std::ptrdiff_t>(unit),
                rows.axes.begin() + static_cast<std::ptrdiff_t>(unit) + 1, rows.axes.end());
    rows.way = PackWay::kAlongSlots;
  } else {
    packs_along_k(rows, plan.k, &PairAxis::a, plan.type);
  }
}

// The axes that the columns' runs are made of, counted from the innermost.
std::size_t run_axes(const BlockPlan& plan) {
  std::int64_t run = 1;
  std::size_t count = 0;
  const std::vector<BlockAxis>& axes = plan.columns.axes;
  while (count < axes.size() && run < plan.run) run *= axes[axes.size() - 1 - count++].size;
  return count;
}

void set_run(BlockPlan& plan, std::int64_t run) {
  plan.run = run;
  plan.run_vectors = (run + plan.lanes() - 1) / plan.lanes();
  plan.vectors = plan.columns.extent / run * plan.run_vectors;
}

// Unit stride on an axis of the columns that is not the innermost: squares of it and what is
// inside, if there is enough inside and blocks stay small.
void choose_across(BlockPlan& plan) {
  BlockSide& columns = plan.columns;
  const std::int64_t lanes = plan.lanes();
  const auto run_begin = columns.axes.end() - static_cast<std::ptrdiff_t>(run_axes(plan));
  // Outside the runs the operand's order reads best, the unit axis next to them.
  std::stable_sort(columns.axes.begin(), run_begin, [](const BlockAxis& x, const BlockAxis& y) {
    return std::abs(x.source) > std::abs(y.source);
  });
  const auto unit = columns.axes.begin() + static_cast<std::ptrdiff_t>(unit_axis(columns));
  std::int64_t run = plan.run, x_step = plan.run_vectors * lanes;
  if (unit < run_begin) {
    std::rotate(unit, unit + 1, run_begin);
  } else {
    x_step = 1;
    for (auto axis = unit + 1; axis != columns.axes.end(); ++axis) x_step *= axis->size;
    if (run % lanes != 0 && run != columns.extent) {
      // The ends of runs would shift the squares: shorter runs then.
      run = x_step;
      x_step = round_up(x_step, lanes);
    } else if (round_up(run, lanes) - run >= x_step) {
      return;  // the lanes that pad the end would pass for one more row of squares
    }
  }
  std::int64_t grain = std::lcm(x_step, lanes * kernels::kPanelVectors);
  if (x_step < lanes / 2 || grain > kMostGrain ||
      grain * plan.kc * plan.acc_bytes() > kColumnsBytes)
    return;
  // Whole squares, where that leaves blocks small enough.
  if (x_step * lanes <= kMostGrain / 2) grain = std::lcm(grain, x_step * lanes);
  set_run(plan, run);
  columns.x_step = x_step;
  columns.way = PackWay::kAcross;
  plan.grain = grain / lanes;
}

void choose_columns(BlockPlan& plan) {
  BlockSide& columns = plan.columns;
  const std::size_t unit = unit_axis(columns);
  if (unit + 1 == columns.axes.size())
    columns.way = PackWay::kAlongSlots;
  else if (unit == columns.axes.size())
    packs_along_k(columns, plan.k, &PairAxis::b, plan.type);
  else
    choose_across(plan);
}

// The runs of c's unit stride among the columns.
void choose_runs(BlockPlan& plan, bool collected) {
  const std::vector<BlockAxis>& axes = plan.columns.axes;
  std::int64_t run = 1;
  for (auto axis = axes.rbegin(); axis != axes.rend() && axis->target == run; ++axis)
    run *= axis->size;
  plan.collected = collected;
  plan.narrow = !collected && plan.c_type != plan.acc;
  plan.c_run = run;
  set_run(plan, collected ? plan.columns.extent : run);
}

void choose_k(BlockPlan& plan, bool in_parts) {
  const std::int64_t k = plan.k_extent;
  plan.part_k = k;
  if (in_parts) {
    plan.part_k = round_up(std::max(kPartK, (k + kMostParts - 1) / kMostParts), kBlockK);
    plan.parts = (k + plan.part_k - 1) / plan.part_k;
  }
  plan.kc = even_block(plan.part_k, kBlockK, 16);
}

void choose_blocks(BlockPlan& plan) {
  const std::int64_t bytes = plan.packed_bytes(), lanes = plan.lanes();
  const std::int64_t c_bytes = static_cast<std::int64_t>(size_of(plan.c_type));
  const std::int64_t m = plan.rows.extent, k = plan.k_extent;
  plan.mc = even_block(m, kRowsBytes / (plan.kc * bytes), plan.kernel->rows);
  const std::int64_t rows_bytes = plan.mc * plan.kc * bytes;
  const std::int64_t columns_bytes = plan.mc >= m ? kCacheBlockBytes - rows_bytes : kColumnsBytes;
  std::int64_t nc = columns_bytes / (plan.kc * bytes * lanes);
  // Column tables and collected rows bound it where k is short.
  nc = std::min<std::int64_t>(nc, (plan.apart() ? kApartColumns : 8192) / lanes);
  plan.nc = even_block(plan.vectors, nc, plan.grain);
  // Where little is summed, writing c decides.
  plan.rows_outer = k <= kShortK && plan.nc * lanes * plan.kc * bytes <= kCacheBlockBytes &&
                    (plan.collected || plan.run * c_bytes >= kLongRunBytes);
  plan.stream = !plan.collected && !plan.narrow && plan.kc >= k &&
                plan.batches * m * plan.columns.extent * c_bytes > kStreamBytes;
  const std::int64_t apart =
      std::min(kApartBytes, kColumnsAndSumsBytes - plan.nc * lanes * plan.kc * bytes);
  plan.apart_vectors = std::max(kApartColumns / lanes / plan.nc, std::int64_t{1}) * plan.nc;
  plan.apart_vectors = std::min(plan.apart_vectors, round_up(plan.vectors, plan.nc));
  plan.apart_rows = even_block(m, apart / (plan.apart_vectors * lanes * plan.acc_bytes()), 1);
  if (plan.apart()) plan.mc = std::min(plan.mc, round_up(plan.apart_rows, plan.kernel->rows));
}

// Strides of the rows' operand as a, of the columns' as b.
PairAxes oriented(const PairAxes& axes, bool swap) {
  PairAxes result = axes;
  if (swap)
    for (PairAxis& axis : result) std::swap(axis.a, axis.b);
  return result;
}

// The order in which the kernels that sum in one chain do.
PairAxes chain_order(const Pair& pair) {
  AxisList k;
  if (!longest_sum_last(pair, k)) return pair.k;
  return PairAxes(k.begin(), k.end());
}

// Lanes and rows with AVX-512.
const kernels::BlockKernel* reference_kernel(DType acc) {
  static constexpr kernels::BlockKernel kFour{16, 12, nullptr}, kEight{8, 12, nullptr};
  return size_of(acc) == 4 ? &kFour : &kEight;
}

BlockPlan plan_one(const Pair& pair, bool swap, bool collected, bool reference) {
  BlockPlan plan;
  plan.swapped = swap;
  plan.batch = oriented(pair.batch, swap);
  plan.k = oriented(pair.one_chain ? chain_order(pair) : pair.k, swap);
  plan.batches = extent(pair.batch);
  plan.k_extent = extent(pair.k);
  plan.acc = acc_type(pair.c_type);
  plan.c_type = pair.c_type;
  plan.type = block_type(pair);
  plan.kernel = reference ? reference_kernel(plan.acc) : kernels::find_block_kernel(plan.type);
  if (plan.kernel == nullptr) {
    plan.type = BlockType::kF32;
    plan.kernel = kernels::find_block_kernel(plan.type);
  }
  plan.one_chain = pair.one_chain;
  BlockSide &a = swap ? plan.columns : plan.rows, &b = swap ? plan.rows : plan.columns;
  a = make_side(pair.m, &PairAxis::a, pair.a_type);
  b = make_side(pair.n, &PairAxis::b, pair.b_type);
  for (BlockSide* side : {&plan.rows, &plan.columns})
    side->far = static_cast<double>(plan.batches) * static_cast<double>(side->extent) *
                    static_cast<double>(plan.k_extent) * static_cast<double>(size_of(side->dtype)) >
                kCacheBytes;
  choose_runs(plan, collected);
  choose_k(plan, cuts_k(pair));
  choose_rows(plan);
  choose_columns(plan);
  choose_blocks(plan);
  plan.cost_ns = block_cost_ns(plan);
  return plan;
}

// Sums become elements of c without being collected first, where c lets them.
bool stores_at_once(DType c_type) {
  return c_type == acc_type(c_type) || c_type == DType::kF16 || c_type == DType::kBF16;
}

BlockPlan cheapest(const Pair& pair, bool reference) {
  BlockPlan best;
  const auto offer = [&](bool swap, bool collected) {
    BlockPlan plan = plan_one(pair, swap, collected, reference);
    if (best.kernel == nullptr || plan.cost_ns < best.cost_ns) best = std::move(plan);
  };
  if (stores_at_once(pair.c_type) && !cuts_k(pair)) {
    if (pair.n.empty() || pair.n.back().c == 1) offer(false, false);
    if (pair.m.empty() || pair.m.back().c == 1) offer(true, false);
    // Well filled vectors straight into c: nothing is better.
    if (best.kernel != nullptr && 4 * best.columns.extent >= 3 * best.vectors * best.lanes())
      return best;
  }
  offer(false, true);
  offer(true, true);
  return best;
}

}  // namespace

double reference_block_cost_ns(const Pair& pair) {
  std::int64_t base[3] = {};
  return cheapest(has_backward(pair) ? turned_forward(pair, base) : pair, true).cost_ns;
}

BlockPlan make_block_plan(const Pair& pair) {
  std::int64_t base[3] = {};
  BlockPlan plan = cheapest(has_backward(pair) ? turned_forward(pair, base) : pair, false);
  plan.rows_base = base[plan.swapped ? 1 : 0];
  plan.columns_base = base[plan.swapped ? 0 : 1];
  plan.c_base = base[2];
  plan.rows.pack = kernels::find_block_pack(plan.type, plan.rows.dtype, false);
  plan.columns.pack = kernels::find_block_pack(plan.type, plan.columns.dtype, true);
  return plan;
}

}  // namespace tenfold::einsum_detail
