// Carries out a block plan: pieces for threads, and in a piece the loops over blocks.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "einsum/block_plan.hpp"
#include "einsum/block_worker.hpp"
#include "einsum/parallel.hpp"

namespace tenfold::einsum_detail {
namespace {

// Pieces per thread: more even out what else the machine does, fewer pack less twice.
constexpr std::int64_t kPiecesPerThread = 2;

// How batches, rows and columns are cut into pieces. The bits don't depend on it.
struct Cuts {
  std::int64_t batches = 1, rows = 1, columns = 1;
  std::int64_t row_units, column_units, column_unit;

  Cuts(const BlockPlan& plan, int threads)
      : row_units(kernels::RowPanels(plan.rows.extent, plan.kernel->rows).count),
        column_unit(plan.grain) {
    column_units = (plan.vectors + column_unit - 1) / column_unit;
    if (threads <= 1) return;
    const std::int64_t wanted = threads * kPiecesPerThread;
    batches = std::min(plan.batches, 4 * wanted);
    if (plan.batches >= 2 * wanted) return;
    // Square pieces pack the least.
    while (batches * rows * columns < wanted) {
      const bool can_rows = 2 * rows <= row_units, can_columns = 2 * columns <= column_units;
      if (!can_rows && !can_columns) return;
      const bool wide = plan.columns.extent / columns >= plan.rows.extent / rows;
      if (can_columns && (wide || !can_rows))
        columns *= 2;
      else
        rows *= 2;
    }
  }
  std::int64_t count() const { return batches * rows * columns; }
};

BlockRange part_of(std::int64_t units, std::int64_t unit, std::int64_t end, std::int64_t i,
                   std::int64_t parts) {
  return {std::min(units * i / parts * unit, end), std::min(units * (i + 1) / parts * unit, end)};
}

struct Pointers {
  const std::byte *rows, *columns;
  std::byte* c;
};

void run_pieces_of(const BlockPlan& plan, const Pointers& at, const RunOptions& options) {
  const int threads =
      threads_for(options, plan.cost_ns, plan.batches * plan.rows.extent * plan.columns.extent);
  const Cuts cuts(plan, threads);
  run_pieces(options, threads, cuts.count(), [&](std::int64_t i) {
    const BlockRange batches =
        part_of(plan.batches, 1, plan.batches, i / (cuts.rows * cuts.columns), cuts.batches);
    const BlockRange rows = part_of(cuts.row_units, plan.kernel->rows, plan.rows.extent,
                                    i / cuts.columns % cuts.rows, cuts.rows);
    const BlockRange columns =
        part_of(cuts.column_units, cuts.column_unit, plan.vectors, i % cuts.columns, cuts.columns);
    if (batches.size() == 0 || rows.size() == 0 || columns.size() == 0) return;
    BlockWorker worker(plan, at.rows, at.columns);
    for (std::int64_t batch = batches.begin; batch < batches.end; ++batch) {
      worker.to_batch(batch);
      worker.run(rows, columns, at.c);
    }
  });
}

// Each part of k by itself into dense sums; these are added in order and stored.
void run_parts_of(const BlockPlan& plan, const Pointers& at, const RunOptions& options) {
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  const std::int64_t width = plan.vectors * plan.lanes();
  const std::int64_t sums = plan.rows.extent * width;
  const std::int64_t bytes = sums * plan.acc_bytes();
  const std::int64_t total = plan.parts * plan.batches * bytes;
  const std::unique_ptr<std::byte, Free> memory(static_cast<std::byte*>(
      std::aligned_alloc(4096, static_cast<std::size_t>((total + 4095) / 4096 * 4096))));
  if (!memory) throw std::bad_alloc();
  const auto place = [&](std::int64_t batch, std::int64_t part) {
    return memory.get() + (batch * plan.parts + part) * bytes;
  };
  const int threads = threads_for(options, plan.cost_ns, plan.batches * plan.parts);
  run_pieces(options, threads, plan.batches * plan.parts, [&](std::int64_t i) {
    const std::int64_t part = i % plan.parts;
    BlockWorker worker(plan, at.rows, at.columns);
    worker.to_batch(i / plan.parts);
    worker.sum({part * plan.part_k, std::min((part + 1) * plan.part_k, plan.k_extent)},
               place(i / plan.parts, part));
  });
  const kernels::AddFn add = kernels::find_block_add(plan.acc);
  BlockWorker worker(plan, at.rows, at.columns);
  for (std::int64_t batch = 0; batch < plan.batches; ++batch) {
    for (std::int64_t part = 1; part < plan.parts; ++part)
      add(place(batch, 0), place(batch, part), sums);
    worker.to_batch(batch);
    worker.scatter_all({0, plan.rows.extent}, {0, plan.vectors}, place(batch, 0), width, at.c);
  }
}

}  // namespace

void run_block_plan(const BlockPlan& plan, const void* a, const void* b, void* c,
                    const RunOptions& options) {
  const auto* x = static_cast<const std::byte*>(plan.swapped ? b : a);
  const auto* y = static_cast<const std::byte*>(plan.swapped ? a : b);
  const auto bytes = [](std::int64_t elements, DType dtype) {
    return elements * static_cast<std::int64_t>(size_of(dtype));
  };
  const Pointers at{x + bytes(plan.rows_base, plan.rows.dtype),
                    y + bytes(plan.columns_base, plan.columns.dtype),
                    static_cast<std::byte*>(c) + bytes(plan.c_base, plan.c_type)};
  if (plan.parts > 1)
    run_parts_of(plan, at, options);
  else
    run_pieces_of(plan, at, options);
}

}  // namespace tenfold::einsum_detail
