// Products of small matrices without packing: straight from the strided operands, vectors along the
// rows of b and c, or through a gather where those are not contiguous and all is tiny.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "einsum/cost.hpp"
#include "einsum/gather.hpp"
#include "einsum/parallel.hpp"
#include "einsum/small_loops.hpp"
#include "einsum/walk.hpp"

namespace tenfold::einsum_detail {
namespace {

using kernels::SmallArgs;
using kernels::SmallFn;

class Small final : public PairKernel {
 public:
  explicit Small(const Pair& pair);
  void run(const void* a, const void* b, void* c, const RunOptions& options) const override;
  std::string describe() const override;

 private:
  struct Base {
    const std::byte *a, *b;
    std::byte* c;
  };

  bool gathers() const { return gather_a_ || gather_b_ || gather_c_; }
  void run_units(const Base& base, std::int64_t begin, std::int64_t end) const;
  void run_gathered(const Base& base, std::int64_t begin, std::int64_t end) const;
  void pack_columns(const std::byte* b, std::int64_t terms, std::int64_t columns,
                    std::byte* to) const;
  void run_packed(const Base& base, const SmallTile& tile) const;
  void run_sums(const Base& base, const SmallTile& tile) const;
  void run_tile(const Base& base, const SmallTile& tile, bool add) const;
  void run_panel(const SmallArgs (&args)[2], const SmallFn (&fns)[2], const Base& base,
                 const SmallTile& tile, bool add) const;

  SmallLoops loops_;
  // One call of one function is all; that function and its arguments.
  SmallFn once_ = nullptr;
  SmallArgs once_args_ = {};
  std::int64_t once_count_ = 0;
  bool swapped_;
  bool gather_a_, gather_b_, gather_c_;
  Gather a_gather_, b_gather_, c_gather_;
};

Small::Small(const Pair& pair) {
  SmallPlan plan;
  plan_small(pair, plan);
  swapped_ = plan.swapped;
  gather_a_ = plan.gather_a;
  gather_b_ = plan.gather_b;
  gather_c_ = plan.gather_c;
  if (gather_a_) a_gather_ = Gather(plan.m, plan.k, &PairAxis::a, plan.a_type, plan.acc);
  if (gather_b_) b_gather_ = Gather(plan.k, plan.n, &PairAxis::b, plan.b_type, plan.acc);
  if (gather_c_) c_gather_ = Gather(plan.m, plan.n, &PairAxis::c, plan.c_type, plan.acc);
  loops_ = make_small_loops(plan);

  const bool one_block = loops_.row.size % loops_.block_rows == 0 &&
                         (loops_.inner.size == 1 || loops_.row.size == loops_.block_rows);
  if (!gathers() && !loops_.packs && loops_.units == 1 && loops_.sums.empty() &&
      loops_.columns <= loops_.panel && loops_.term_chunk == loops_.term.size && one_block) {
    const int w = loops_.columns == loops_.panel ? 0 : 1;
    once_ = loops_.fns[w][0];
    once_args_ = loops_.args[w][0];
    once_count_ = loops_.inner.size > 1 ? loops_.inner.size : loops_.row.size / loops_.block_rows;
  }
}

void Small::run(const void* a, const void* b, void* c, const RunOptions& options) const {
  if (swapped_) std::swap(a, b);
  if (once_ != nullptr) return once_(once_args_, a, b, c, once_count_, false);
  const Base base{static_cast<const std::byte*>(a), static_cast<const std::byte*>(b),
                  static_cast<std::byte*>(c)};
  const auto part = [&](std::int64_t begin, std::int64_t end) {
    gathers() ? run_gathered(base, begin, end) : run_units(base, begin, end);
  };
  const std::int64_t units = loops_.units, each = loops_.units_per_piece;
  const std::int64_t pieces = SmallLoops::ceil_div(units, each);
  const int threads =
      loops_.work_ns < 2 * kWorkPerThreadNs ? 1 : threads_for(options, loops_.work_ns, pieces);
  if (threads == 1) return part(0, units);
  run_pieces(options, threads, pieces,
             [&](std::int64_t piece) { part(piece * each, std::min(units, (piece + 1) * each)); });
}

void Small::run_units(const Base& base, std::int64_t begin, std::int64_t end) const {
  const SmallLoops& loops = loops_;
  const SmallTile& chunk = loops.chunk;
  const std::int64_t row_chunks = loops.row_chunks();
  Walk walk(loops.outer, begin / loops.units_per_outer);
  std::int64_t part = begin % loops.units_per_outer;
  for (std::int64_t unit = begin; unit < end; ++unit) {
    Base at{base.a + walk.a(), base.b + walk.b(), base.c + walk.c()};
    SmallTile tile = chunk;
    if (loops.inner.size > 1) {
      const std::int64_t first = part * chunk.products;
      at = {at.a + first * loops.inner.a, at.b + first * loops.inner.b,
            at.c + first * loops.inner.c};
      tile.products = std::min(chunk.products, loops.inner.size - first);
    } else {
      const std::int64_t row = part % row_chunks * chunk.rows;
      const std::int64_t column = part / row_chunks * chunk.columns;
      at = {at.a + row * loops.row.a, at.b + column * loops.column_step,
            at.c + row * loops.row.c + column * loops.size};
      tile.rows = std::min(chunk.rows, loops.row.size - row);
      tile.columns = std::min(chunk.columns, loops.columns - column);
    }
    loops.packs ? run_packed(at, tile) : run_sums(at, tile);
    if (++part == loops.units_per_outer) {
      part = 0;
      walk.next();
    }
  }
}

// Units whose operands come through dense copies; one that stays where it is isn't copied again.
void Small::run_gathered(const Base& base, std::int64_t begin, std::int64_t end) const {
  constexpr std::size_t kBlock = kMostGathered * 8;
  std::byte* const scratch = piece_scratch(4 * kBlock);
  std::byte *const dense_a = scratch, *const dense_b = scratch + kBlock;
  std::byte *const dense_c = scratch + 2 * kBlock, *const typed = scratch + 3 * kBlock;
  const std::byte *last_a = nullptr, *last_b = nullptr;
  const SmallLoops& loops = loops_;
  const SmallTile& chunk = loops.chunk;
  Walk walk(loops.outer, begin / loops.units_per_outer);
  std::int64_t part = begin % loops.units_per_outer;
  for (std::int64_t unit = begin; unit < end; ++unit) {
    // Either products or rows are in parts.
    const std::int64_t first = loops.inner.size > 1 ? part * chunk.products : 0;
    const std::int64_t row = loops.inner.size > 1 ? 0 : part * chunk.rows;
    const SmallTile tile{std::min(chunk.rows, loops.row.size - row), loops.columns,
                         std::min(chunk.products, loops.inner.size - first)};
    Base at{base.a + walk.a() + first * loops.inner.a, base.b + walk.b() + first * loops.inner.b,
            base.c + walk.c() + first * loops.inner.c};
    std::byte* const out = at.c;
    const auto load = [&](const Gather& gather, std::int64_t step, const std::byte*& from,
                          const std::byte*& last, std::byte* dense) {
      if (from != last) gather.load(from, step, step == 0 ? 1 : tile.products, dense, typed);
      last = from;
      from = dense;
    };
    if (gather_a_) load(a_gather_, loops.inner.a, at.a, last_a, dense_a);
    if (gather_b_) load(b_gather_, loops.inner.b, at.b, last_b, dense_b);
    if (gather_c_) at.c = dense_c;
    run_tile({at.a + row * loops.row.a, at.b, at.c + row * loops.row.c}, tile, false);
    if (gather_c_) c_gather_.store(dense_c, out, loops.inner.c, tile.products, typed);
    if (++part == loops.units_per_outer) {
      part = 0;
      walk.next();
    }
  }
}

// Panels of as many columns as a block has, one after the other.
void Small::pack_columns(const std::byte* b, std::int64_t terms, std::int64_t columns,
                         std::byte* to) const {
  if (loops_.turn != nullptr) {
    const std::int64_t panel = loops_.panel;
    for (std::int64_t column = 0; column < columns; column += panel)
      loops_.turn(b + column * loops_.column_step, loops_.column_step, terms,
                  std::min(panel, columns - column), panel, to + column * terms * loops_.size);
    return;
  }
  constexpr std::int64_t kWhole = 128;  // two vectors of 64 bytes, copied without a call
  const std::int64_t row = columns * loops_.size, step = loops_.panel * loops_.size;
  for (std::int64_t term = 0; term < terms; ++term, b += loops_.term.b, to += step) {
    std::byte* out = to;
    for (std::int64_t done = 0; done < row; done += step, out += terms * step) {
      if (step == kWhole && row - done >= kWhole)
        std::memcpy(out, b + done, kWhole);
      else
        std::memcpy(out, b + done, static_cast<std::size_t>(std::min(step, row - done)));
    }
  }
}

void Small::run_packed(const Base& base, const SmallTile& tile) const {
  const SmallLoops& loops = loops_;
  std::byte* const packed = piece_scratch(kSmallL2 + kernels::kTurnSlack);
  // Of several products each has its own columns, or all have the same.
  const bool same = loops.inner.b == 0;
  SmallArgs args[2][2];
  std::copy_n(&loops.args[0][0], 4, &args[0][0]);
  for (std::int64_t term = 0; term < loops.term.size; term += loops.term_chunk) {
    const std::int64_t terms = std::min(loops.term_chunk, loops.term.size - term);
    const std::int64_t panel_bytes = terms * loops.panel * loops.size;
    const std::int64_t product_bytes =
        SmallLoops::ceil_div(tile.columns, loops.panel) * panel_bytes;
    for (auto& pair : args)
      for (SmallArgs& each : pair) {
        each.k = terms;
        each.b_k = loops.panel * loops.size;
        each.b_next = same ? 0 : product_bytes;
      }
    for (std::int64_t i = 0; i < (same ? 1 : tile.products); ++i)
      pack_columns(base.b + i * loops.inner.b + term * loops.term.b, terms, tile.columns,
                   packed + i * product_bytes);
    for (std::int64_t row = 0; row < tile.rows; row += loops.pass_rows) {
      const SmallTile pass{std::min(loops.pass_rows, tile.rows - row), tile.columns, tile.products};
      Base at{base.a + row * loops.row.a + term * loops.term.a, packed, base.c + row * loops.row.c};
      for (std::int64_t column = 0; column < tile.columns; column += loops.panel) {
        const int w = tile.columns - column >= loops.panel ? 0 : 1;
        run_panel(args[w], loops.fns[w], at, pass, term > 0);
        at.b += panel_bytes;
        at.c += loops.panel * loops.size;
      }
    }
  }
}

void Small::run_sums(const Base& base, const SmallTile& tile) const {
  if (loops_.sums.empty()) return run_tile(base, tile, false);
  Walk walk(loops_.sums, 0);
  const std::int64_t positions = loops_.sums.extent();
  for (std::int64_t i = 0; i < positions; ++i, walk.next())
    run_tile({base.a + walk.a(), base.b + walk.b(), base.c}, tile, i > 0);
}

void Small::run_tile(const Base& base, const SmallTile& tile, bool add) const {
  const SmallLoops& loops = loops_;
  const bool whole = loops.term_chunk == loops.term.size;
  for (std::int64_t term = 0; term < loops.term.size; term += loops.term_chunk) {
    SmallArgs args[2][2];
    if (!whole) {
      std::copy_n(&loops.args[0][0], 4, &args[0][0]);
      for (auto& pair : args)
        for (SmallArgs& each : pair) each.k = std::min(loops.term_chunk, loops.term.size - term);
    }
    const std::byte* const a = base.a + term * loops.term.a;
    const std::byte* const b = base.b + term * loops.term.b;
    for (std::int64_t column = 0; column < tile.columns; column += loops.panel) {
      const int w = tile.columns - column >= loops.panel ? 0 : 1;
      run_panel(whole ? loops.args[w] : args[w], loops.fns[w],
                {a, b + column * loops.size, base.c + column * loops.size}, tile, add || term > 0);
    }
  }
}

void Small::run_panel(const SmallArgs (&args)[2], const SmallFn (&fns)[2], const Base& base,
                      const SmallTile& tile, bool add) const {
  const SmallLoops& loops = loops_;
  const std::int64_t blocks = tile.rows / loops.block_rows;
  const std::int64_t a_block = loops.block_rows * loops.row.a;
  const std::int64_t c_block = loops.block_rows * loops.row.c;
  if (loops.inner.size > 1) {
    for (std::int64_t i = 0; i < blocks; ++i)
      fns[0](args[0], base.a + i * a_block, base.b, base.c + i * c_block, tile.products, add);
  } else if (blocks > 0) {
    fns[0](args[0], base.a, base.b, base.c, blocks, add);
  }
  if (blocks * loops.block_rows < tile.rows)
    fns[1](args[1], base.a + blocks * a_block, base.b, base.c + blocks * c_block, tile.products,
           add);
}

std::string Small::describe() const {
  std::string text = loops_.squares
                         ? fmt::format("whole rows side by side, {} at a time", loops_.block_rows)
                         : fmt::format("blocks of {} x {}", loops_.block_rows,
                                       std::min(loops_.panel, loops_.columns));
  if (swapped_) text += ", operands exchanged";
  if (loops_.packs) text += loops_.turn != nullptr ? ", columns turned" : ", columns packed";
  if (gathers())
    text += fmt::format(", gathered:{}{}{}", gather_a_ ? (swapped_ ? " b" : " a") : "",
                        gather_b_ ? (swapped_ ? " a" : " b") : "", gather_c_ ? " c" : "");
  return text;
}

bool accepts(const Pair& pair) {
  SmallPlan plan;
  return plan_small(pair, plan);
}

double cost(const Pair& pair) {
  SmallPlan plan;
  plan_small(pair, plan);
  return std::max(small_cost(plan), product_floor_ns(pair));
}

std::unique_ptr<PairKernel> make(const Pair& pair) { return std::make_unique<Small>(pair); }

}  // namespace

PairKind small_kind() {
  return {"small", "products of small matrices, read in place", &accepts, &cost, &make};
}

}  // namespace tenfold::einsum_detail
