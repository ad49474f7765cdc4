// The kernel "columns": weighted sums of the rows of a matrix, one for each of its columns.
//
//   for unit, for tile: sums[turns, rows, columns] = tree over chains of k
//
// Every column is one chain after another, each of kChain terms in the order of k; the chains meet
// in a binary counter. So tiles, threads and gathering don't change a bit.
#include <algorithm>
#include <array>
#include <bit>

#include "einsum/columns_plan.hpp"
#include "einsum/parallel.hpp"
#include "einsum/product_sums.hpp"
#include "einsum/walk.hpp"
#include "kernels/product_kernels.hpp"

namespace tenfold::einsum_detail {
namespace {

using kernels::ColumnsBlock;
using kernels::kChain;
using Places = std::array<std::int64_t, kChain>;

Places steps_of(std::int64_t stride) {
  Places at;
  for (std::int64_t i = 0; i < kChain; ++i) at[static_cast<std::size_t>(i)] = i * stride;
  return at;
}

class ColumnsKernel final : public PairKernel {
 public:
  explicit ColumnsKernel(const ColumnsPlan& plan)
      : plan_(plan),
        fn_(plan.paired ? fns(plan)->paired : fns(plan)->scaled),
        convert_m_(plan.m_type, plan.acc),
        convert_w_(plan.w_type, plan.acc),
        tree_(plan.acc),
        store_(plan.acc, plan.c_type),
        terms_(plan.k.extent()),
        units_(plan.units.extent()),
        sum_size_(bytes_in(plan.acc)),
        m_size_(bytes_in(plan.m_type)),
        w_size_(bytes_in(plan.w_type)),
        c_size_(bytes_in(plan.c_type)),
        m_at_(steps_of(plan.k[plan.k.size() - 1].a)),
        w_at_(steps_of(plan.k[plan.k.size() - 1].b)),
        direct_(terms_ <= kChain && plan.c_type == plan.acc && plan.column.c == 1),
        serial_(tiling_of(plan, 1)),
        scratch_(scratch_bytes()) {}

  void run(const void* a, const void* b, void* c, const RunOptions& options) const override;
  std::string describe() const override;

 private:
  // A tile of results: its first element in each operand and in the output.
  struct Tile {
    const std::byte *m, *w;
    std::byte* c;
    std::int64_t turns, rows, columns;
    std::int64_t sums() const { return turns * rows * columns; }
  };
  // Where the kernel puts sums; strides in elements.
  struct Sums {
    std::byte* at;
    std::int64_t row, turn;
  };

  static const kernels::ColumnsFns* fns(const ColumnsPlan& plan) {
    return kernels::find_columns(plan.pack_m ? plan.acc : plan.m_type);
  }
  std::int64_t scratch_bytes() const;
  Tile tile_at(const Tile& all, const Walk& unit, const ColumnsTiling& tiling,
               std::int64_t index) const;
  void run_tiles(const Tile& all, const ColumnsTiling& tiling, Part tiles) const;
  void run_parts(const Tile& all, const ColumnsTiling& tiling, std::int64_t part_size, int threads,
                 const RunOptions& options) const;
  std::int64_t part_size(const ColumnsTiling& tiling, int threads) const;

  // The dense sums of a tile over a part of k, and their way into the output.
  void fold(const Tile& tile, Part part, std::byte* sums, std::byte* scratch) const;
  void store(const Tile& tile, const std::byte* sums, std::byte* scratch) const;
  // `chains` chains of one row side by side, each a row of sums; or, for `chains` 1, one chain for
  // each row of the tile.
  void fold_chains(const Tile& tile, Part part, std::int64_t chains, Sums sums,
                   std::byte* scratch) const;
  void places(Part part, Places& m_at, Places& w_at) const;
  void pack_m(const Tile& tile, std::int64_t terms, ColumnsBlock& block, std::byte* to) const;
  void pack_w(const Tile& tile, std::int64_t terms, ColumnsBlock& block, std::byte* to) const;

  const ColumnsPlan plan_;
  void (*const fn_)(const ColumnsBlock&);
  const ToSums convert_m_, convert_w_;
  const SumTree tree_;
  const SumStore store_;
  const std::int64_t terms_, units_, sum_size_, m_size_, w_size_, c_size_;
  const Places m_at_, w_at_;  // along the innermost axis of k
  const bool direct_;         // one chain is a finished sum, dense in the output and of its type
  const ColumnsTiling serial_;
  const std::int64_t scratch_;
};

// Sums, nodes, chains, two gathered blocks and a run of output.
std::int64_t ColumnsKernel::scratch_bytes() const {
  const std::int64_t sums = serial_.sums();
  std::int64_t bytes =
      (kSideBySide + 2) * sums * sum_size_ + tree_.bytes(terms_ / kChain + 1, sums);
  const auto gathered = [&](std::int64_t rows, std::int64_t width) {
    const std::int64_t narrow = std::min(width, kNarrowBytes / sum_size_);
    return kChain * std::max(rows * width, kSideBySide * narrow) * sum_size_;
  };
  if (plan_.pack_m) bytes += gathered(serial_.rows, serial_.columns);
  if (plan_.pack_w)
    bytes += gathered((plan_.row.b == 0 ? 1 : serial_.rows) * serial_.turns,
                      plan_.paired ? serial_.columns : 1);
  return bytes + 64 * 8;
}

// Where the terms of a part lie, for axes of k that don't step as one.
void ColumnsKernel::places(Part part, Places& m_at, Places& w_at) const {
  Walk k(plan_.k, part.begin);
  for (std::int64_t i = 0; i < part.size(); ++i, k.next()) {
    m_at[static_cast<std::size_t>(i)] = k.a();
    w_at[static_cast<std::size_t>(i)] = k.b();
  }
}

// Gathers the matrix: [row, term, column].
void ColumnsKernel::pack_m(const Tile& tile, std::int64_t terms, ColumnsBlock& block,
                           std::byte* to) const {
  const std::byte* from = static_cast<const std::byte*>(block.m);
  block.m = to;
  block.m_row = block.count * tile.columns;
  for (std::int64_t r = 0; r < tile.rows; ++r, from += plan_.row.a * m_size_)
    for (std::int64_t i = 0; i < terms; ++i, to += tile.columns * sum_size_) {
      const std::int64_t chain = i / kChain * kChain;  // these repeat the steps of the first
      const std::int64_t at = block.m_at[i - chain] + chain * plan_.k[0].a;
      convert_m_(from + at * m_size_, plan_.column.a, tile.columns, to);
    }
}

// Gathers the weights: [turn, row unless they share them, term, column if each has its own].
void ColumnsKernel::pack_w(const Tile& tile, std::int64_t terms, ColumnsBlock& block,
                           std::byte* to) const {
  const std::int64_t width = plan_.paired ? tile.columns : 1;
  const std::int64_t rows = plan_.row.b == 0 ? 1 : tile.rows;
  const auto* const first = static_cast<const std::byte*>(block.w);
  block.w = to;
  block.w_row = terms > block.count || rows > 1 ? block.count * width : 0;
  block.w_turn = rows * terms * width;
  for (std::int64_t r = 0; r < tile.turns * rows; ++r) {
    const std::byte* from = first + (r / rows * plan_.turn.b + r % rows * plan_.row.b) * w_size_;
    if (!plan_.paired && plan_.regular()) {
      convert_w_(from, plan_.k[0].b, terms, to);
      to += terms * sum_size_;
      continue;
    }
    for (std::int64_t i = 0; i < terms; ++i, to += width * sum_size_) {
      const std::int64_t chain = i / kChain * kChain;
      const std::int64_t at = block.w_at[i - chain] + chain * plan_.k[0].b;
      convert_w_(from + at * w_size_, plan_.column.b, width, to);
    }
  }
}

void ColumnsKernel::fold_chains(const Tile& tile, Part part, std::int64_t chains, Sums sums,
                                std::byte* scratch) const {
  Places m_at, w_at, m_dense, w_dense;
  ColumnsBlock block{tile.m,       tile.w,       m_at_.data(), w_at_.data(), plan_.row.a,
                     plan_.row.b,  plan_.turn.b, tile.turns,   tile.rows,    part.size() / chains,
                     tile.columns, sums.at,      sums.row,     sums.turn};
  if (plan_.regular()) {
    const PairAxis& k = plan_.k[0];
    block.m = tile.m + part.begin * k.a * m_size_;
    block.w = tile.w + part.begin * k.b * w_size_;
    if (chains > 1) {
      block.rows = chains;
      block.m_row = kChain * k.a;
      block.w_row = kChain * k.b;
    }
  } else {
    places(part, m_at, w_at);
    block.m_at = m_at.data();
    block.w_at = w_at.data();
  }
  if (plan_.pack_m) {
    pack_m(tile, part.size(), block, scratch);
    m_dense = steps_of(tile.columns);
    block.m_at = m_dense.data();
    scratch += part.size() * tile.rows * tile.columns * sum_size_;
  }
  if (plan_.pack_w) {
    pack_w(tile, part.size(), block, scratch);
    w_dense = steps_of(plan_.paired ? tile.columns : 1);
    block.w_at = w_dense.data();
  }
  fn_(block);
}

void ColumnsKernel::fold(const Tile& tile, Part part, std::byte* sums, std::byte* scratch) const {
  const auto dense = [&](std::byte* at) {
    return Sums{at, tile.columns, tile.rows * tile.columns};
  };
  if (part.size() <= kChain) return fold_chains(tile, part, 1, dense(sums), scratch);
  const std::int64_t count = tile.sums();
  StateTree tree = tree_.grow(count, scratch);
  scratch += round_up(tree_.bytes(part.size() / kChain + 1, count), 64);
  std::byte* const leaf = scratch;
  scratch += round_up(kSideBySide * count * sum_size_, 64);
  constexpr std::int64_t kTerms = kSideBySide * kChain;
  const bool side_by_side =
      count == tile.columns && plan_.regular() && tile.columns * sum_size_ <= kNarrowBytes;
  std::int64_t begin = part.begin;
  for (; side_by_side && part.end - begin >= kTerms; begin += kTerms) {
    fold_chains(tile, {begin, begin + kTerms}, kSideBySide, dense(leaf), scratch);
    tree_.fold_rows(leaf, kSideBySide, count);
    tree.push(leaf, std::countr_zero(static_cast<std::uint64_t>(kSideBySide)));
  }
  for (; begin < part.end; begin += kChain) {
    const std::int64_t end = std::min(begin + kChain, part.end);
    fold_chains(tile, {begin, end}, 1, dense(leaf), scratch);
    if (end - begin < kChain) return tree.finish(sums, leaf);
    tree.push(leaf, 0);
  }
  tree.finish(sums);
}

void ColumnsKernel::store(const Tile& tile, const std::byte* sums, std::byte* scratch) const {
  const bool one_run = plan_.column.c == 1 && plan_.row.c == tile.columns;
  const std::int64_t runs = one_run ? 1 : tile.rows, count = tile.rows * tile.columns / runs;
  for (std::int64_t i = 0; i < tile.turns * runs; ++i, sums += count * sum_size_)
    store_.store(sums, count, tile.c + (i / runs * plan_.turn.c + i % runs * plan_.row.c) * c_size_,
                 plan_.column.c, scratch);
}

// A tile of a unit.
ColumnsKernel::Tile ColumnsKernel::tile_at(const Tile& all, const Walk& unit,
                                           const ColumnsTiling& tiling, std::int64_t index) const {
  const std::int64_t t = index % tiling.deep * tiling.turns;
  const std::int64_t j = index / tiling.deep % tiling.across * tiling.columns;
  const std::int64_t r = index / tiling.deep / tiling.across * tiling.rows;
  const PairAxis &row = plan_.row, &column = plan_.column, &turn = plan_.turn;
  return {all.m + (unit.a() + r * row.a + j * column.a) * m_size_,
          all.w + (unit.b() + r * row.b + j * column.b + t * turn.b) * w_size_,
          all.c + (unit.c() + r * row.c + j * column.c + t * turn.c) * c_size_,
          std::min(tiling.turns, turn.size - t),
          std::min(tiling.rows, row.size - r),
          std::min(tiling.columns, column.size - j)};
}

// Tiles are counted through all units.
void ColumnsKernel::run_tiles(const Tile& all, const ColumnsTiling& tiling, Part tiles) const {
  std::byte* const sums =
      direct_ && !plan_.packs() ? nullptr : piece_scratch(static_cast<std::size_t>(scratch_));
  const std::int64_t in_unit = tiling.pieces();
  Walk unit(plan_.units, tiles.begin / in_unit);
  std::int64_t index = tiles.begin % in_unit;
  for (std::int64_t i = tiles.begin; i < tiles.end; ++i) {
    const Tile tile = tile_at(all, unit, tiling, index);
    if (direct_) {
      fold_chains(tile, {0, terms_}, 1, {tile.c, plan_.row.c, plan_.turn.c}, sums);
    } else {
      std::byte* const scratch = sums + round_up(tile.sums() * sum_size_, 64);
      fold(tile, {0, terms_}, sums, scratch);
      store(tile, sums, scratch);
    }
    if (++index < in_unit) continue;
    index = 0;
    unit.next();
  }
}

// Whole subtrees of the sum, so many that they feed the threads; 0: it is not worth it.
std::int64_t ColumnsKernel::part_size(const ColumnsTiling& tiling, int threads) const {
  const std::int64_t tiles = units_ * tiling.pieces();
  const std::int64_t most = kPartBytes / (tiles * tiling.sums() * sum_size_);
  const std::int64_t wanted = std::min(threads * kPiecesPerThread / tiles + 1, most);
  if (wanted < 2) return 0;
  std::int64_t size = kSideBySide * kChain;
  while (size * wanted < terms_) size *= 2;
  return size < terms_ ? size : 0;
}

// Few outputs, long sums: the parts of each tile are folded by different threads.
void ColumnsKernel::run_parts(const Tile& all, const ColumnsTiling& tiling, std::int64_t part_size,
                              int threads, const RunOptions& options) const {
  alignas(64) std::array<std::byte, kPartBytes> sums;
  const std::int64_t parts = pieces_of(terms_, part_size), tiles = units_ * tiling.pieces();
  const std::int64_t bytes = tiling.sums() * sum_size_ * parts;
  const auto tile_of = [&](std::int64_t i) {
    return tile_at(all, Walk(plan_.units, i / tiling.pieces()), tiling, i % tiling.pieces());
  };
  run_pieces(options, threads, tiles * parts, [&](std::int64_t task) {
    const Tile tile = tile_of(task / parts);
    const std::int64_t part = task % parts, begin = part * part_size;
    fold(tile, {begin, std::min(begin + part_size, terms_)},
         sums.data() + task / parts * bytes + part * tile.sums() * sum_size_,
         piece_scratch(static_cast<std::size_t>(scratch_)));
  });
  for (std::int64_t i = 0; i < tiles; ++i) {
    const Tile tile = tile_of(i);
    tree_.fold_rows(sums.data() + i * bytes, parts, tile.sums());
    store(tile, sums.data() + i * bytes, piece_scratch(static_cast<std::size_t>(scratch_)));
  }
}

void ColumnsKernel::run(const void* a, const void* b, void* c, const RunOptions& options) const {
  if (plan_.swapped) std::swap(a, b);
  const Tile all{static_cast<const std::byte*>(a),
                 static_cast<const std::byte*>(b),
                 static_cast<std::byte*>(c),
                 0,
                 0,
                 0};
  const int threads = plan_.cost < 2 * kWorkPerThreadNs
                          ? 1
                          : threads_for(options, plan_.cost, std::int64_t{1} << 30);
  if (threads == 1) return run_tiles(all, serial_, {0, units_ * serial_.pieces()});
  const ColumnsTiling tiling = tiling_of(plan_, threads);
  const std::int64_t tiles = units_ * tiling.pieces();
  const std::int64_t size = tiles < threads ? part_size(tiling, threads) : 0;
  if (size > 0) return run_parts(all, tiling, size, threads, options);
  const std::int64_t pieces = std::min<std::int64_t>(tiles, threads * kPiecesPerThread);
  run_pieces(options, threads, pieces, [&](std::int64_t i) {
    run_tiles(all, tiling, {tiles * i / pieces, tiles * (i + 1) / pieces});
  });
}

std::string ColumnsKernel::describe() const {
  const auto number = [](std::int64_t i) { return std::to_string(i); };
  std::string text = plan_.swapped ? "rows of b" : "rows of a";
  text += plan_.paired ? " times a weight for each element, " : " times a weight each, ";
  text += number(terms_) + " terms in chains of " + number(std::min(kChain, terms_)) + ", tiles " +
          number(serial_.rows) + " x " + number(serial_.columns);
  if (plan_.turn.size > 1) text += ", " + number(serial_.turns) + " turns each";
  if (plan_.pack_m) text += ", matrix gathered";
  if (plan_.pack_w) text += ", weights gathered";
  return text;
}

}  // namespace

PairKind columns_kind() {
  return {"columns", "weighted sums of rows, along an axis that is kept and contiguous",
          &accepts_columns,
          [](const Pair& pair) {
            ColumnsPlan plan;
            plan_columns(pair, plan);
            return plan.cost;
          },
          [](const Pair& pair) -> std::unique_ptr<PairKernel> {
            ColumnsPlan plan;
            plan_columns(pair, plan);
            return std::make_unique<ColumnsKernel>(plan);
          }};
}

}  // namespace tenfold::einsum_detail
