// Products whose innermost batch axis is contiguous in a, b and c: each lane of a vector has a
// product of its own, and an element of a matrix is a vector.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "einsum/cost.hpp"
#include "einsum/lanes_plan.hpp"
#include "einsum/parallel.hpp"
#include "einsum/walk.hpp"
#include "kernels/batch_lanes_kernels.hpp"

namespace tenfold::einsum_detail {
namespace {

using kernels::BatchLanesArgs;
using kernels::BatchLanesFn;
using kernels::BatchLanesKernels;

std::int64_t ceil_div(std::int64_t x, std::int64_t y) { return (x + y - 1) / y; }
// The size of even blocks of at most `most`.
std::int64_t even(std::int64_t size, std::int64_t most) {
  return ceil_div(size, ceil_div(size, most));
}

// Packed blocks, in vectors of at most 64 bytes: rows of a that stay in L1 while columns of b pass
// from L2.
constexpr std::int64_t kVectorBytes = 64, kMostRows = 6, kMostTerms = 80;
constexpr std::int64_t kRowsBytes = kMostRows * kMostTerms * kVectorBytes;
constexpr std::int64_t kColumnsBytes = 256 << 10;

class Lanes final : public PairKernel {
 public:
  explicit Lanes(const Pair& pair);
  void run(const void* a, const void* b, void* c, const RunOptions& options) const override;
  std::string describe() const override {
    return fmt::format("{} lanes, blocks of {} x {}{}", lanes_, block_rows_, block_columns_,
                       packs_ ? ", packed" : "");
  }

 private:
  struct Base {
    const std::byte *a, *b;
    std::byte* c;
  };
  // Of one unit: rows, columns, and vectors of lanes with so many in the last one.
  struct Tile {
    std::int64_t rows, columns, vectors, last_lanes;
  };

  void choose_chunks(const LanesPlan& plan);
  void run_units(const Base& base, std::int64_t begin, std::int64_t end) const;
  void run_tile(const Base& base, const Tile& tile, bool add) const;
  void run_packed(const Base& base, const Tile& tile, bool add) const;
  void pack_columns(const std::byte* b, const Tile& tile, std::int64_t terms, std::byte* to) const;
  void run_blocks(BatchLanesFn block, const Base& base, const Tile& tile, std::int64_t blocks,
                  bool add) const;
  BatchLanesArgs args() const {
    return {.k = term_.size,
            .a_row = row_.a,
            .a_k = term_.a,
            .b_k = term_.b,
            .b_column = column_.b,
            .c_row = row_.c,
            .c_column = column_.c,
            .a_next = vector_,
            .b_next = vector_,
            .c_next = vector_,
            .lanes = lanes_};
  }

  const BatchLanesKernels* kernels_;
  std::int64_t lanes_, vector_;          // of a vector, and its bytes
  PairAxis lane_, row_, column_, term_;  // in bytes
  AxisList outer_, sums_;                // in bytes
  std::int64_t block_rows_, block_columns_;
  Tile chunk_{};  // of a unit
  std::int64_t term_chunk_ = 1;
  bool packs_ = false;
  std::int64_t units_per_outer_ = 1, units_ = 1, units_per_piece_ = 1;
  double work_ns_ = 0;
  BatchLanesFn once_ = nullptr;  // one call of it is all
};

AxisList in_bytes(const AxisList& axes, std::int64_t size) {
  AxisList out;
  for (const PairAxis& axis : axes)
    out.push({axis.size, axis.a * size, axis.b * size, axis.c * size});
  return out;
}

Lanes::Lanes(const Pair& pair) {
  LanesPlan plan;
  plan_lanes(pair, plan);
  const auto size = static_cast<std::int64_t>(size_of(plan.acc));
  const auto bytes = [size](const PairAxis& axis) {
    return PairAxis{axis.size, axis.a * size, axis.b * size, axis.c * size};
  };
  kernels_ = kernels::find_batch_lanes_kernels(plan.acc);
  lanes_ = kernels_->lanes;
  vector_ = lanes_ * size;
  lane_ = bytes(plan.lane);
  row_ = bytes(plan.row);
  column_ = bytes(plan.column);
  term_ = bytes(plan.term);
  outer_ = in_bytes(plan.outer, size);
  sums_ = in_bytes(plan.sums, size);
  block_rows_ = even(row_.size, kernels_->rows);
  block_columns_ = even(column_.size, kernels_->columns);
  choose_chunks(plan);
  const bool whole_vectors = lane_.size % lanes_ == 0 || lane_.size < lanes_;
  if (units_ == 1 && sums_.empty() && row_.size == block_rows_ && column_.size == block_columns_ &&
      term_chunk_ == term_.size && whole_vectors)
    once_ = kernels_->find(block_rows_, block_columns_);
}

// Small products: many vectors of lanes at a time, as many as L1 holds, or all where nothing is
// read twice. Large ones: one vector at a time, packed if both operands are read several times.
void Lanes::choose_chunks(const LanesPlan& plan) {
  constexpr std::int64_t kL1 = 32768, kFewBlocks = 3;
  constexpr double kUnits = 64, kLeastNs = kWorkPerThreadNs / 2;
  const std::int64_t m = row_.size, n = column_.size, k = term_.size;
  const std::int64_t vectors = ceil_div(lane_.size, lanes_);
  const std::int64_t product_bytes = (m * k + k * n + m * n) * vector_;
  work_ns_ = lanes_cost(plan);
  const double most_ns = std::max(work_ns_ / kUnits, kLeastNs);
  const double product_ns = lanes_product_ns(plan) * static_cast<double>(sums_.extent());
  chunk_ = {m, n, 1, 0};
  term_chunk_ = k;
  const bool one_block = m == block_rows_ && n == block_columns_;
  if (one_block || product_bytes <= kL1 / 2) {
    const auto fit = std::max<std::int64_t>(static_cast<std::int64_t>(most_ns / product_ns), 1);
    const std::int64_t cached = one_block ? fit : std::max<std::int64_t>(kL1 / product_bytes, 1);
    chunk_.vectors = std::min({vectors, fit, cached});
  } else {
    packs_ = m > kFewBlocks * block_rows_ && n > kFewBlocks * block_columns_;
    if (packs_) term_chunk_ = even(k, kMostTerms);
    const std::int64_t panels =
        std::max<std::int64_t>(kColumnsBytes / (term_chunk_ * vector_ * block_columns_), 1);
    chunk_.columns = std::min(n, panels * block_columns_);
    const double rows_ns = product_ns * static_cast<double>(chunk_.columns) /
                           static_cast<double>(n) / static_cast<double>(m);
    const auto fit = static_cast<std::int64_t>(most_ns / rows_ns) / block_rows_;
    chunk_.rows = std::min(m, std::max<std::int64_t>(fit, 4 * kFewBlocks) * block_rows_);
  }
  units_per_outer_ =
      ceil_div(m, chunk_.rows) * ceil_div(n, chunk_.columns) * ceil_div(vectors, chunk_.vectors);
  units_ = outer_.extent() * units_per_outer_;
  const double unit_ns = work_ns_ / static_cast<double>(units_);
  units_per_piece_ = std::max<std::int64_t>(static_cast<std::int64_t>(kLeastNs / unit_ns), 1);
}

void Lanes::run(const void* a, const void* b, void* c, const RunOptions& options) const {
  if (once_ != nullptr) {
    BatchLanesArgs once = args();
    once.lanes = std::min(lanes_, lane_.size);
    return once_(once, a, b, c, ceil_div(lane_.size, lanes_), false);
  }
  const Base base{static_cast<const std::byte*>(a), static_cast<const std::byte*>(b),
                  static_cast<std::byte*>(c)};
  const std::int64_t pieces = ceil_div(units_, units_per_piece_);
  const int threads = work_ns_ < 2 * kWorkPerThreadNs ? 1 : threads_for(options, work_ns_, pieces);
  if (threads == 1) return run_units(base, 0, units_);
  run_pieces(options, threads, pieces, [&](std::int64_t piece) {
    run_units(base, piece * units_per_piece_, std::min(units_, (piece + 1) * units_per_piece_));
  });
}

// Units are numbered with the rows fastest, then the columns, the vectors, and `outer`.
void Lanes::run_units(const Base& base, std::int64_t begin, std::int64_t end) const {
  const std::int64_t row_chunks = ceil_div(row_.size, chunk_.rows);
  const std::int64_t column_chunks = ceil_div(column_.size, chunk_.columns);
  const std::int64_t vectors = ceil_div(lane_.size, lanes_), positions = sums_.extent();
  Walk walk(outer_, begin / units_per_outer_);
  std::int64_t part = begin % units_per_outer_;
  for (std::int64_t unit = begin; unit < end; ++unit) {
    const std::int64_t row = part % row_chunks * chunk_.rows;
    const std::int64_t column = part / row_chunks % column_chunks * chunk_.columns;
    const std::int64_t vector = part / row_chunks / column_chunks * chunk_.vectors;
    Tile tile{std::min(chunk_.rows, row_.size - row),
              std::min(chunk_.columns, column_.size - column),
              std::min(chunk_.vectors, vectors - vector), lanes_};
    tile.last_lanes = std::min(lanes_, lane_.size - (vector + tile.vectors - 1) * lanes_);
    const std::int64_t lane = vector * vector_;
    Walk sum(sums_, 0);
    for (std::int64_t i = 0; i < positions; ++i, sum.next()) {
      const Base at{base.a + walk.a() + sum.a() + row * row_.a + lane,
                    base.b + walk.b() + sum.b() + column * column_.b + lane,
                    base.c + walk.c() + row * row_.c + column * column_.c + lane};
      packs_ ? run_packed(at, tile, i > 0) : run_tile(at, tile, i > 0);
    }
    if (++part == units_per_outer_) {
      part = 0;
      walk.next();
    }
  }
}

// In place.
void Lanes::run_tile(const Base& base, const Tile& tile, bool add) const {
  const std::int64_t blocks = tile.rows / block_rows_, rest = tile.rows % block_rows_;
  const std::int64_t done = blocks * block_rows_;
  for (std::int64_t column = 0; column < tile.columns; column += block_columns_) {
    const std::int64_t columns = std::min(block_columns_, tile.columns - column);
    const Base at{base.a, base.b + column * column_.b, base.c + column * column_.c};
    if (blocks > 0) run_blocks(kernels_->find(block_rows_, columns), at, tile, blocks, add);
    if (rest > 0)
      run_blocks(kernels_->find(rest, columns), {at.a + done * row_.a, at.b, at.c + done * row_.c},
                 tile, 1, add);
  }
}

// Panels of as many columns as a block has.
void Lanes::pack_columns(const std::byte* b, const Tile& tile, std::int64_t terms,
                         std::byte* to) const {
  for (std::int64_t column = 0; column < tile.columns; column += block_columns_) {
    const std::int64_t columns = std::min(block_columns_, tile.columns - column);
    kernels_->pack({term_.b, column_.b, columns * vector_, terms, columns, tile.last_lanes},
                   b + column * column_.b, to);
    to += terms * columns * vector_;
  }
}

// One vector of lanes, through dense copies: the columns of b once, each block of rows of a as its
// turn comes.
void Lanes::run_packed(const Base& base, const Tile& tile, bool add) const {
  std::byte* const packed_a = piece_scratch(kRowsBytes + kColumnsBytes);
  std::byte* const packed_b = packed_a + kRowsBytes;
  const std::int64_t panels = tile.columns / block_columns_, rest = tile.columns % block_columns_;
  BatchLanesArgs part = args();
  part.lanes = tile.last_lanes;
  part.a_k = vector_;
  part.b_column = vector_;
  part.a_next = 0;
  part.c_next = block_columns_ * column_.c;
  for (std::int64_t term = 0; term < term_.size; term += term_chunk_) {
    part.k = std::min(term_chunk_, term_.size - term);
    part.a_row = part.k * vector_;
    part.b_next = part.k * block_columns_ * vector_;
    pack_columns(base.b + term * term_.b, tile, part.k, packed_b);
    for (std::int64_t row = 0; row < tile.rows; row += block_rows_) {
      const std::int64_t rows = std::min(block_rows_, tile.rows - row);
      kernels_->pack({row_.a, term_.a, part.a_row, rows, part.k, part.lanes},
                     base.a + row * row_.a + term * term_.a, packed_a);
      std::byte* const c = base.c + row * row_.c;
      part.b_k = block_columns_ * vector_;
      kernels_->find(rows, block_columns_)(part, packed_a, packed_b, c, panels, add || term > 0);
      if (rest == 0) continue;
      part.b_k = rest * vector_;
      kernels_->find(rows, rest)(part, packed_a, packed_b + panels * part.b_next,
                                 c + panels * part.c_next, 1, add || term > 0);
    }
  }
}

// The loop inside the kernel goes along the vectors, or along the rows if there is one vector.
void Lanes::run_blocks(BatchLanesFn block, const Base& base, const Tile& tile, std::int64_t blocks,
                       bool add) const {
  BatchLanesArgs part = args();
  const std::int64_t a_block = block_rows_ * row_.a, c_block = block_rows_ * row_.c;
  if (tile.vectors == 1) {
    part.a_next = a_block;
    part.b_next = 0;
    part.c_next = c_block;
    part.lanes = tile.last_lanes;
    return block(part, base.a, base.b, base.c, blocks, add);
  }
  const std::int64_t whole = tile.vectors - (tile.last_lanes < lanes_ ? 1 : 0);
  for (std::int64_t i = 0; i < blocks; ++i) {
    const Base at{base.a + i * a_block, base.b, base.c + i * c_block};
    part.lanes = lanes_;
    block(part, at.a, at.b, at.c, whole, add);
    if (whole == tile.vectors) continue;
    part.lanes = tile.last_lanes;
    const std::int64_t skip = whole * vector_;
    block(part, at.a + skip, at.b + skip, at.c + skip, 1, add);
  }
}

bool accepts(const Pair& pair) {
  LanesPlan plan;
  return plan_lanes(pair, plan) && kernels::find_batch_lanes_kernels(plan.acc) != nullptr;
}

double cost(const Pair& pair) {
  LanesPlan plan;
  plan_lanes(pair, plan);
  return std::max(lanes_cost(plan), product_floor_ns(pair));
}

std::unique_ptr<PairKernel> make(const Pair& pair) { return std::make_unique<Lanes>(pair); }

}  // namespace

PairKind lanes_kind() {
  return {"lanes", "batches of products with the batch axis contiguous in a, b and c", &accepts,
          &cost, &make};
}

}  // namespace tenfold::einsum_detail
