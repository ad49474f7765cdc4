#include "einsum/small_loops.hpp"

#include <algorithm>

#include "einsum/cost.hpp"
#include "einsum/parallel.hpp"

namespace tenfold::einsum_detail {
namespace {

using kernels::SmallKernels;
using kernels::SmallSquares;
using kernels::SmallWidth;

constexpr std::int64_t kL1 = 32768, kL2 = kSmallL2;  // what may be in use at a time

std::int64_t ceil_div(std::int64_t x, std::int64_t y) { return SmallLoops::ceil_div(x, y); }

AxisList in_bytes(const AxisList& axes, const SmallPlan& plan) {
  const auto bytes = [](DType dtype) { return static_cast<std::int64_t>(size_of(dtype)); };
  AxisList out;
  for (const PairAxis& axis : axes)
    out.push({axis.size, axis.a * bytes(plan.a_type), axis.b * bytes(plan.b_type),
              axis.c * bytes(plan.c_type)});
  return out;
}

// The narrowest blocks that take so many columns and rows.
const SmallWidth& width_for(const SmallKernels& kernels, std::int64_t columns, std::int64_t rows) {
  const SmallWidth* best = &kernels.widths[0];
  for (const SmallWidth& width : kernels.widths)
    if (width.columns >= columns && static_cast<std::int64_t>(width.blocks.size()) >= rows)
      best = &width;
  return *best;
}

// Several rows go to a vector.
void choose_squares(const SmallKernels& kernels, SmallLoops& loops) {
  const std::int64_t side = loops.columns;
  constexpr std::int64_t kMostRows = 1024;
  loops.squares = true;
  loops.panel = side;
  loops.block_rows = std::min(loops.row.size, kMostRows);
  const SmallSquares* best = &kernels.squares[0];
  for (const SmallSquares& squares : kernels.squares)
    if (squares.elements >= loops.block_rows * side) best = &squares;
  for (auto& fns : loops.fns) fns[0] = fns[1] = best->run;
}

// Blocks of rows that the kernel cuts itself.
void choose_tall(const SmallKernels& kernels, SmallLoops& loops) {
  constexpr std::int64_t kMostRows = 256;
  loops.panel = loops.columns;
  loops.block_rows = std::min(loops.row.size, kMostRows);
  for (auto& fns : loops.fns)
    fns[0] = fns[1] = kernels.talls[static_cast<std::size_t>(loops.columns - 1)];
}

void choose_blocks(const SmallKernels& kernels, SmallLoops& loops) {
  const std::int64_t rows = loops.row.size;
  const SmallWidth& width = width_for(kernels, loops.columns, 1);
  loops.panel = width.columns;
  const auto most = static_cast<std::int64_t>(width.blocks.size());
  loops.block_rows = ceil_div(rows, ceil_div(rows, most));  // blocks of about the same size
  const std::int64_t last_rows = rows % loops.block_rows;
  const std::int64_t last_columns = loops.columns % loops.panel;
  const SmallWidth& last =
      width_for(kernels, last_columns == 0 ? loops.panel : last_columns, loops.block_rows);
  const SmallWidth* const widths[2] = {&width, &last};
  for (int w = 0; w < 2; ++w) {
    const auto& blocks = widths[w]->blocks;
    loops.fns[w][0] = blocks[static_cast<std::size_t>(loops.block_rows - 1)];
    loops.fns[w][1] = last_rows == 0 ? nullptr : blocks[static_cast<std::size_t>(last_rows - 1)];
  }
}

std::int64_t product_bytes(const SmallLoops& loops) {
  const std::int64_t m = loops.row.size, n = loops.columns, k = loops.term.size;
  return (m * k + k * n + m * n) * loops.size;
}

// The loop inside the kernels goes along an outer axis if a call for one product is short: the
// innermost one, for the caches' sake, unless it is very short.
void choose_inner(const SmallPlan& plan, SmallLoops& loops) {
  constexpr double kShortNs = 100;
  constexpr std::int64_t kMany = 8;
  const double block_ns = product_ns(plan, loops.block_rows, std::min(loops.panel, loops.columns));
  if (loops.outer.empty() || block_ns > kShortNs) return;
  if (product_bytes(loops) > (plan.gathers() ? kL1 / 4 : kL1 / 2)) return;
  AxisList& outer = loops.outer;
  int best = outer.size() - 1;
  if (outer[best].size < kMany)
    for (int i = best; i >= 0; --i)
      if (outer[i].size > outer[best].size) best = i;
  loops.inner = outer[best];
  for (int i = best; i + 1 < outer.size(); ++i) outer[i] = outer[i + 1];
  outer.truncate(outer.size() - 1);
}

void fill_args(const SmallPlan& plan, SmallLoops& loops) {
  const PairAxis &row = loops.row, &term = loops.term, &inner = loops.inner;
  const bool along_rows = inner.size == 1;
  // Between gathered products lies one of them, or nothing if it is the same for all.
  const auto step = [&](bool gathered, std::int64_t stride, std::int64_t elements) {
    return gathered && stride != 0 ? elements * loops.size : stride;
  };
  const std::int64_t a_step = step(plan.gather_a, inner.a, row.size * term.size);
  const std::int64_t b_step = step(plan.gather_b, inner.b, term.size * loops.columns);
  const std::int64_t c_step = step(plan.gather_c, inner.c, row.size * loops.columns);
  for (int w = 0; w < 2; ++w)
    for (int r = 0; r < 2; ++r)
      loops.args[w][r] = {.k = term.size,
                          .a_row = row.a,
                          .a_k = term.a,
                          .b_k = term.b,
                          .c_row = row.c,
                          .a_next = along_rows ? loops.block_rows * row.a : a_step,
                          .b_next = b_step,
                          .c_next = along_rows ? loops.block_rows * row.c : c_step,
                          .rows = r == 0 ? loops.block_rows : row.size % loops.block_rows,
                          .columns = w == 0 ? loops.panel : loops.columns % loops.panel};
}

// A chunk of many small products: what L1 holds if it is swept more than once.
void choose_products(double product, double most_ns, bool gathers, SmallLoops& loops) {
  const bool swept_once = !gathers && loops.turn == nullptr && loops.row.size <= loops.block_rows &&
                          loops.columns <= loops.panel && loops.sums.empty();
  const auto fit = static_cast<std::int64_t>(most_ns / product);
  const std::int64_t cached = swept_once ? fit : kL1 / product_bytes(loops);
  loops.chunk.products = std::clamp<std::int64_t>(std::min(fit, cached), 1, loops.inner.size);
}

// Chunks whose columns are packed: all rows pass over them, in one part or two.
void choose_packed(SmallLoops& loops) {
  constexpr std::int64_t kManyUnits = 16, kManyRows = 192;  // that outweigh packing twice
  const std::int64_t size = loops.size, rows = loops.block_rows;
  const std::int64_t terms = ceil_div(loops.term.size, kPackedRowBytes / size);
  loops.packs = true;
  loops.term_chunk = ceil_div(loops.term.size, terms);
  const std::int64_t panel_bytes = loops.term_chunk * loops.panel * size;
  loops.chunk.columns = std::min(loops.columns, kL2 / panel_bytes * loops.panel);
  loops.pass_rows = std::max<std::int64_t>(kL2 / 2 / (loops.term_chunk * size) / rows, 1) * rows;
  const std::int64_t units = loops.outer.extent() * ceil_div(loops.columns, loops.chunk.columns);
  const std::int64_t blocks = ceil_div(loops.row.size, rows);
  const bool halves = units < kManyUnits && (loops.turn == nullptr || loops.row.size >= kManyRows);
  loops.chunk.rows = ceil_div(blocks, halves ? 2 : 1) * rows;
}

// A chunk of one product: rows of b that stay in L2 with the rows of a that pass over them.
void choose_part(const SmallPlan& plan, double most_ns, SmallLoops& loops) {
  const std::int64_t size = loops.size, panel_bytes = loops.panel * size;
  SmallTile& chunk = loops.chunk;
  if (packs_columns(plan)) return choose_packed(loops);
  if (thrashes(plan)) {
    // The kernel fetches the next panel while it works on one: one block of rows, panel after
    // panel.
    chunk = {loops.block_rows, loops.columns, 1};
    return;
  }
  if (!plan.gather_b) {
    loops.term_chunk = std::min(loops.term.size, std::max<std::int64_t>(kL2 / 2 / panel_bytes, 1));
    const std::int64_t panels = std::max<std::int64_t>(kL2 / (loops.term_chunk * panel_bytes), 1);
    chunk.columns = std::min(loops.columns, panels * loops.panel);
  }
  const double row_ns = product_ns(plan, loops.block_rows, chunk.columns) *
                        static_cast<double>(plan.sums.extent()) /
                        static_cast<double>(loops.block_rows);
  const auto fit = static_cast<std::int64_t>(most_ns / row_ns);
  const std::int64_t cached = kL2 / 2 / (loops.term_chunk * size);
  const std::int64_t blocks = std::max<std::int64_t>(std::min(fit, cached) / loops.block_rows, 1);
  chunk.rows = std::min(ceil_div(loops.row.size, loops.block_rows), blocks) * loops.block_rows;
}

// What a unit of work covers: what caches hold, and small enough to keep several threads busy; by
// shape alone.
void choose_chunks(const SmallPlan& plan, SmallLoops& loops) {
  constexpr double kUnits = 64, kLeastNs = kWorkPerThreadNs / 2;
  loops.chunk = {loops.row.size, loops.columns, 1};
  loops.term_chunk = loops.term.size;
  loops.work_ns = small_cost(plan);
  const double most_ns = std::max(loops.work_ns / kUnits, kLeastNs);
  const double product =
      product_ns(plan, loops.row.size, loops.columns) * static_cast<double>(plan.sums.extent());
  if (loops.inner.size > 1) {
    choose_products(product, most_ns, plan.gathers(), loops);
    loops.packs = plan.turns;
    loops.pass_rows = loops.row.size;
  } else if (!plan.gather_a && !plan.gather_c) {
    choose_part(plan, most_ns, loops);
  }
  loops.units_per_outer = loops.row_chunks() * ceil_div(loops.columns, loops.chunk.columns) *
                          ceil_div(loops.inner.size, loops.chunk.products);
  loops.units = loops.outer.extent() * loops.units_per_outer;
  const double unit_ns = loops.work_ns / static_cast<double>(loops.units);
  loops.units_per_piece = std::max<std::int64_t>(static_cast<std::int64_t>(kLeastNs / unit_ns), 1);
}

}  // namespace

SmallLoops make_small_loops(const SmallPlan& plan) {
  SmallLoops loops;
  const auto size = static_cast<std::int64_t>(size_of(plan.acc));
  loops.size = size;
  loops.row = {plan.row.size, plan.row.a * size, 0, plan.row.c * size};
  loops.term = {plan.term.size, plan.term.a * size, plan.term.b * size, 0};
  loops.columns = plan.column.size;
  loops.outer = in_bytes(plan.outer, plan);
  loops.sums = in_bytes(plan.sums, plan);
  const SmallKernels& kernels = *kernels::find_small_kernels(plan.acc);
  if (is_squares(plan))
    choose_squares(kernels, loops);
  else if (is_tall(plan))
    choose_tall(kernels, loops);
  else
    choose_blocks(kernels, loops);
  loops.column_step = plan.turns ? plan.column.b * size : size;
  if (plan.turns) loops.turn = kernels.turn;
  choose_inner(plan, loops);
  fill_args(plan, loops);
  choose_chunks(plan, loops);
  return loops;
}

}  // namespace tenfold::einsum_detail
