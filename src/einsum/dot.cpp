// The kernel "dot": sums of products along an axis that is contiguous in an operand.
//
//   for unit, for tile of rows, for again: sums[rows] = tree over outer of (tree over n, by the
//   SIMD kernel)
//
// Everything is one tree over the summed positions, fixed by their number: tiles, threads,
// gathering and the place of the rows don't change a bit.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "einsum/dot_plan.hpp"
#include "einsum/parallel.hpp"
#include "einsum/product_sums.hpp"
#include "einsum/walk.hpp"
#include "kernels/elementwise_kernels.hpp"
#include "kernels/product_kernels.hpp"

namespace tenfold::einsum_detail {
namespace {

// Room for gathered elements, and for what a transpose writes behind them.
constexpr std::int64_t kPackedSlots = kDotPacked + 32;
constexpr std::int64_t kOffsetSize = sizeof(std::int64_t);

class DotKernel final : public PairKernel {
 public:
  explicit DotKernel(const DotPlan& plan)
      : plan_(plan),
        fn_(kernels::find_dot(plan.kernel_a(), plan.kernel_b())),
        convert_a_(plan.a_type, plan.acc),
        convert_b_(plan.b_type, plan.acc),
        tree_(plan.acc),
        store_(plan.acc, plan.c_type),
        sum_size_(static_cast<std::int64_t>(size_of(plan.acc))),
        a_size_(static_cast<std::int64_t>(size_of(plan.a_type))),
        b_size_(static_cast<std::int64_t>(size_of(plan.b_type))),
        c_size_(static_cast<std::int64_t>(size_of(plan.c_type))),
        units_(plan.units.extent() * plan.again.size),
        loops_(loops_of(plan)),
        n_run_(plan.n_axes[plan.n_axes.size() - 1].size),
        n_outer_(without(plan.n_axes, plan.n_axes.size() - 1)),
        // Every full row of the tile is dense in the output and of its type: no detour.
        direct_(plan.outer.empty() && plan.n.size <= plan.chunk() && plan.c_type == plan.acc &&
                (plan.row.c == 1 || plan.row.size == 1)),
        align_b_(!plan.packs() && !plan.batched && plan.row.b == 0 && plan.row.size >= 32 &&
                 plan.n.size >= 128 && plan.n.size <= kDotPacked),
        scratch_(scratch_bytes()) {}

  void run(const void* a, const void* b, void* c, const RunOptions& options) const override;
  std::string describe() const override;

 private:
  struct Operands {
    const std::byte *a, *b;
  };
  // A tile of rows of a unit.
  struct Tile {
    Operands from;
    std::byte* to;
    std::int64_t rows;
  };

  // A summed axis around n; several axes with gaps between them count as one.
  struct Loop {
    AxisList axes;
    std::int64_t size;
  };
  static std::vector<Loop> loops_of(const DotPlan& plan);
  std::int64_t scratch_bytes() const;
  Operands moved(Operands x, const Walk& at) const {
    return {x.a + at.a() * a_size_, x.b + at.b() * b_size_};
  }
  Operands moved(Operands x, const PairAxis& axis, std::int64_t i) const {
    return {x.a + i * axis.a * a_size_, x.b + i * axis.b * b_size_};
  }
  Part whole(std::size_t depth) const {
    return {0, depth < loops_.size() ? loops_[depth].size : plan_.n.size};
  }

  void run_tiles(Operands x, std::byte* c, std::int64_t tile, Part tiles) const;
  void run_parts(Operands x, std::byte* c, std::int64_t parts, std::int64_t part_size, int threads,
                 const RunOptions& options) const;
  std::int64_t part_size(int threads) const;
  void run_tile(const Tile& tile, std::byte* scratch) const;

  // The sums of `rows` rows over `part` of loop `depth` and all of the loops inside it.
  void fold(std::size_t depth, Operands x, std::int64_t rows, Part part, std::byte* sums,
            std::byte* scratch) const;
  void fold_batched(Operands x, Part part, std::byte* sums, std::byte* scratch) const;
  void fold_chunks(Operands x, const PairAxis& row, std::int64_t rows, Part part, std::byte* sums,
                   std::byte* scratch) const;
  void fold_block(Operands x, const PairAxis& row, std::int64_t rows, Part part, std::byte* sums,
                  std::byte* scratch) const;
  template <class Each>
  void for_runs(std::int64_t PairAxis::*stride, Part part, const Each& each) const;
  void gather(const ToSums& convert, const std::byte* from, std::int64_t size,
              std::int64_t PairAxis::*stride, Part part, std::byte* to) const;
  void find_offsets(std::int64_t size, std::int64_t PairAxis::*stride, Part part,
                    std::int64_t* offsets) const;

  const DotPlan plan_;
  const kernels::DotFn fn_;
  const ToSums convert_a_, convert_b_;
  const SumTree tree_;
  const SumStore store_;
  const std::int64_t sum_size_, a_size_, b_size_, c_size_, units_;
  const std::vector<Loop> loops_;  // outermost first
  const std::int64_t n_run_;       // n comes in runs so long, these along other axes
  const AxisList n_outer_;
  const bool direct_;
  // A vector that many long rows read again and again is moved to a cache line's start: two loads
  // that each touch two lines would take a fifth longer.
  const bool align_b_;
  const std::int64_t scratch_;
};

std::vector<DotKernel::Loop> DotKernel::loops_of(const DotPlan& plan) {
  std::vector<Loop> loops;
  for (int i = 0; i < plan.outer.size(); ++i) {
    if (i == 0 || (plan.joined >> (i - 1) & 1) == 0) loops.push_back({AxisList(), 1});
    loops.back().axes.push(plan.outer[i]);
    loops.back().size *= plan.outer[i].size;
  }
  return loops;
}

// Sums and nodes of every loop, then two gathered operands, then a dense tile of output.
std::int64_t DotKernel::scratch_bytes() const {
  const std::int64_t rows = plan_.batched ? kDotRows : std::min(plan_.row.size, kDotRows);
  std::int64_t bytes = 2 * rows * sum_size_;
  for (const Loop& loop : loops_) bytes += tree_.bytes(loop.size, rows) + rows * sum_size_;
  if (plan_.n.size > plan_.chunk())
    bytes += tree_.bytes(plan_.n.size / plan_.chunk() + 1, rows) + rows * sum_size_;
  if (plan_.packs() || align_b_) bytes += 2 * kPackedSlots * sum_size_;
  if (plan_.turns()) bytes += kPackedSlots * sum_size_ + kDotTurned * kOffsetSize;
  return bytes + 64 * (2 * std::ssize(loops_) + 8);
}

// Calls each(first, count) for the runs that positions `part` of n come in; first: where the run
// begins, in elements.
template <class Each>
void DotKernel::for_runs(std::int64_t PairAxis::*stride, Part part, const Each& each) const {
  Walk run(n_outer_, part.begin / n_run_);
  std::int64_t first = part.begin % n_run_;
  for (std::int64_t i = part.begin; i < part.end; run.next(), first = 0) {
    const std::int64_t count = std::min(n_run_ - first, part.end - i);
    each((stride == &PairAxis::a ? run.a() : run.b()) + first * plan_.n.*stride, count);
    i += count;
  }
}

// Positions `part` of n, side by side in the type of the computation.
void DotKernel::gather(const ToSums& convert, const std::byte* from, std::int64_t size,
                       std::int64_t PairAxis::*stride, Part part, std::byte* to) const {
  for_runs(stride, part, [&](std::int64_t first, std::int64_t count) {
    convert(from + first * size, plan_.n.*stride, count, to);
    to += count * sum_size_;
  });
}

// Where positions `part` of n are, in bytes.
void DotKernel::find_offsets(std::int64_t size, std::int64_t PairAxis::*stride, Part part,
                             std::int64_t* offsets) const {
  for_runs(stride, part, [&](std::int64_t first, std::int64_t count) {
    for (std::int64_t j = 0; j < count; ++j) *offsets++ = (first + j * plan_.n.*stride) * size;
  });
}

// Rows of n, each dense and in the type of the computation, from rows that lie side by side.
// offsets[q]: of position q of n; nullptr: two to four rows and nothing between. `raw` has room for
// them in their own type.
void turn(const std::byte* from, DType type, DType acc, const std::int64_t* offsets, std::int64_t n,
          std::int64_t rows, std::byte* raw, std::byte* to) {
  const auto size = static_cast<std::int64_t>(size_of(type));
  const kernels::MoveKernels& moves = kernels::move_kernels(size);
  std::byte* const moved = type == acc ? to : raw;
  if (offsets == nullptr)
    moves.deinterleave(from, n, rows, moved, n * size);
  else  // the rows of the next call are the next ones in memory
    moves.transpose(from, offsets, n, rows, moved, n * size, rows * size);
  if (type != acc) kernels::find_convert_rows(type, acc)({.a = raw, .c = to, .n = rows * n});
}

void DotKernel::fold_block(Operands x, const PairAxis& row, std::int64_t rows, Part part,
                           std::byte* sums, std::byte* scratch) const {
  const Operands start = x;
  x = moved(x, plan_.n, part.begin);  // of operands that have no gaps there
  const std::int64_t n = part.size();
  if (align_b_ && reinterpret_cast<std::uintptr_t>(x.b) % 64 != 0) {
    std::memcpy(scratch, x.b, static_cast<std::size_t>(n * b_size_));
    x.b = scratch;
  }
  if (!plan_.packs()) return fn_(x.a, row.a, x.b, row.b, rows, n, sums);
  std::byte *const a = scratch, *const b = scratch + kPackedSlots * sum_size_;
  std::byte* const raw = b + kPackedSlots * sum_size_;
  auto* const offsets =
      plan_.apart ? nullptr : reinterpret_cast<std::int64_t*>(raw + kPackedSlots * sum_size_);
  const bool turn_a = plan_.turned == Turned::kA, turn_b = plan_.turned == Turned::kB;
  if (turn_a && offsets != nullptr) find_offsets(a_size_, &PairAxis::a, part, offsets);
  if (turn_b && offsets != nullptr) find_offsets(b_size_, &PairAxis::b, part, offsets);
  const auto pack = [&](const ToSums& convert, const std::byte* from, DType type, bool turns,
                        std::int64_t PairAxis::*stride, std::int64_t count, std::byte* to) {
    if (turns && offsets == nullptr)
      from += part.begin * plan_.n.*stride * static_cast<std::int64_t>(size_of(type));
    if (turns) return turn(from, type, plan_.acc, offsets, n, count, raw, to);
    const auto size = static_cast<std::int64_t>(size_of(type));
    for (std::int64_t r = 0; r < (row.*stride == 0 ? 1 : count); ++r)
      gather(convert, from + r * row.*stride * size, size, stride, part, to + r * n * sum_size_);
  };
  // A vector that all rows share is gathered once.
  const std::int64_t step = plan_.pack_a || row.b != 0 ? kDotPacked / n : rows;
  for (std::int64_t r = 0; r < rows; r += step) {
    const std::int64_t count = std::min(step, rows - r);
    const Operands at = moved(x, row, r), all = moved(start, row, r);
    if (plan_.pack_a) pack(convert_a_, all.a, plan_.a_type, turn_a, &PairAxis::a, count, a);
    if (plan_.pack_b) pack(convert_b_, all.b, plan_.b_type, turn_b, &PairAxis::b, count, b);
    fn_(plan_.pack_a ? a : at.a, plan_.pack_a && row.a != 0 ? n : row.a, plan_.pack_b ? b : at.b,
        plan_.pack_b && row.b != 0 ? n : row.b, count, n, sums + r * sum_size_);
  }
}

void DotKernel::fold_chunks(Operands x, const PairAxis& row, std::int64_t rows, Part part,
                            std::byte* sums, std::byte* scratch) const {
  const std::int64_t chunk = plan_.chunk();
  if (part.size() <= chunk) return fold_block(x, row, rows, part, sums, scratch);
  StateTree tree = tree_.grow(rows, scratch);
  scratch += round_up(tree_.bytes(part.size() / chunk + 1, rows), 64);
  std::byte* const leaf = scratch;
  scratch += round_up(rows * sum_size_, 64);
  for (Part p{part.begin, 0}; p.begin < part.end; p.begin += chunk) {
    p.end = std::min(p.begin + chunk, part.end);
    fold_block(x, row, rows, p, leaf, scratch);
    if (p.size() < chunk) return tree.finish(sums, leaf);
    tree.push(leaf, 0);
  }
  tree.finish(sums);
}

// The innermost outer loop, its positions as rows of the kernel.
void DotKernel::fold_batched(Operands x, Part part, std::byte* sums, std::byte* scratch) const {
  const Loop& loop = loops_.back();
  const PairAxis& axis = loop.axes[loop.axes.size() - 1];
  std::byte* const rows = scratch;
  scratch += round_up(kDotRows * sum_size_, 64);
  StateTree tree = tree_.grow(1, scratch);
  scratch += round_up(tree_.bytes(loop.size, 1), 64);
  for (std::int64_t i = part.begin; i < part.end; i += kDotRows) {
    const std::int64_t count = std::min(kDotRows, part.end - i);
    for (std::int64_t done = 0; done < count;) {  // rows that are evenly spaced
      const std::int64_t at = i + done;
      const std::int64_t run = std::min(count - done, axis.size - at % axis.size);
      fold_chunks(moved(x, Walk(loop.axes, at)), axis, run, {0, plan_.n.size},
                  rows + done * sum_size_, scratch);
      done += run;
    }
    tree_.fold_rows(rows, count, 1);
    if (count < kDotRows) return tree.finish(sums, rows);
    tree.push(rows, std::countr_zero(static_cast<std::uint64_t>(kDotRows)));
  }
  tree.finish(sums);
}

void DotKernel::fold(std::size_t depth, Operands x, std::int64_t rows, Part part, std::byte* sums,
                     std::byte* scratch) const {
  if (depth == loops_.size()) return fold_chunks(x, plan_.row, rows, part, sums, scratch);
  if (plan_.batched && depth + 1 == loops_.size()) return fold_batched(x, part, sums, scratch);
  const Loop& loop = loops_[depth];
  StateTree tree = tree_.grow(rows, scratch);
  scratch += round_up(tree_.bytes(loop.size, rows), 64);
  std::byte* const leaf = scratch;
  scratch += round_up(rows * sum_size_, 64);
  Walk at(loop.axes, part.begin);
  for (std::int64_t i = part.begin; i < part.end; ++i, at.next()) {
    fold(depth + 1, moved(x, at), rows, whole(depth + 1), leaf, scratch);
    tree.push(leaf, 0);
  }
  tree.finish(sums);
}

void DotKernel::run_tile(const Tile& tile, std::byte* scratch) const {
  if (direct_) return fold_block(tile.from, plan_.row, tile.rows, whole(0), tile.to, scratch);
  std::byte* const sums = scratch;
  scratch += round_up(tile.rows * sum_size_, 64);
  fold(0, tile.from, tile.rows, whole(0), sums, scratch);
  store_.store(sums, tile.rows, tile.to, plan_.row.c, scratch);
}

// Tiles are counted through all units, `again` innermost.
void DotKernel::run_tiles(Operands x, std::byte* c, std::int64_t tile, Part tiles) const {
  const std::int64_t across = (plan_.row.size + tile - 1) / tile, repeats = plan_.again.size;
  std::byte* scratch = direct_ && !plan_.packs() && !align_b_
                           ? nullptr
                           : piece_scratch(static_cast<std::size_t>(scratch_));
  Walk unit(plan_.units, tiles.begin / repeats / across);
  std::int64_t first = tiles.begin / repeats % across * tile, repeat = tiles.begin % repeats;
  for (std::int64_t i = tiles.begin; i < tiles.end; ++i) {
    Operands at = moved({x.a + unit.a() * a_size_, x.b + unit.b() * b_size_}, plan_.row, first);
    at = moved(at, plan_.again, repeat);
    const std::int64_t to = unit.c() + first * plan_.row.c + repeat * plan_.again.c;
    run_tile({at, c + to * c_size_, std::min(tile, plan_.row.size - first)}, scratch);
    if (++repeat < repeats) continue;
    repeat = 0;
    first += tile;
    if (first < plan_.row.size) continue;
    first = 0;
    unit.next();
  }
}

// Whole subtrees of the outermost summed loop, so many that they feed the threads; 0: it is not
// worth it.
std::int64_t DotKernel::part_size(int threads) const {
  const std::int64_t total = whole(0).size(), outputs = units_ * plan_.row.size;
  const std::int64_t most = kPartBytes / (outputs * sum_size_);
  const std::int64_t wanted = std::min(threads * kPiecesPerThread / units_ + 1, most);
  if (wanted < 2) return 0;
  std::int64_t size = plan_.outer.empty() ? (plan_.packs() ? kDotChunk : kernels::kLeaf) : 1;
  while (size * wanted < total) size *= 2;
  return size < total ? size : 0;
}

// Few outputs, long sums: the parts of each unit are folded by different threads.
void DotKernel::run_parts(Operands x, std::byte* c, std::int64_t parts, std::int64_t part_size,
                          int threads, const RunOptions& options) const {
  alignas(64) std::array<std::byte, kPartBytes> sums;
  const std::int64_t rows = plan_.row.size, row_bytes = rows * sum_size_;
  const std::int64_t repeats = plan_.again.size;
  run_pieces(options, threads, units_ * parts, [&](std::int64_t task) {
    const Walk unit(plan_.units, task / parts / repeats);
    const std::int64_t begin = task % parts * part_size;
    fold(0, moved(moved(x, unit), plan_.again, task / parts % repeats), rows,
         {begin, std::min(begin + part_size, whole(0).end)}, sums.data() + task * row_bytes,
         piece_scratch(static_cast<std::size_t>(scratch_)));
  });
  for (std::int64_t u = 0; u < units_; ++u) {
    std::byte* const first = sums.data() + u * parts * row_bytes;
    tree_.fold_rows(first, parts, rows);
    const std::int64_t to = Walk(plan_.units, u / repeats).c() + u % repeats * plan_.again.c;
    store_.store(first, rows, c + to * c_size_, plan_.row.c,
                 piece_scratch(static_cast<std::size_t>(scratch_)));
  }
}

void DotKernel::run(const void* a, const void* b, void* c, const RunOptions& options) const {
  if (plan_.swapped) std::swap(a, b);
  const Operands x{static_cast<const std::byte*>(a), static_cast<const std::byte*>(b)};
  auto* const to = static_cast<std::byte*>(c);
  std::int64_t tile = plan_.tile();
  const int threads = plan_.cost < 2 * kWorkPerThreadNs
                          ? 1
                          : threads_for(options, plan_.cost, std::int64_t{1} << 30);
  if (threads == 1)
    return run_tiles(x, to, tile, {0, units_ * ((plan_.row.size + tile - 1) / tile)});

  const std::int64_t wanted = threads * kPiecesPerThread;
  if (units_ < wanted)
    tile = std::min(tile, round_up((plan_.row.size * units_ + wanted - 1) / wanted, 16));
  const std::int64_t tiles = units_ * ((plan_.row.size + tile - 1) / tile);
  if (tiles < threads) {
    const std::int64_t size = part_size(threads);
    if (size > 0 && plan_.row.size <= kDotRows)
      return run_parts(x, to, (whole(0).end + size - 1) / size, size, threads, options);
  }
  const std::int64_t pieces = std::min(tiles, wanted);
  run_pieces(options, threads, pieces, [&](std::int64_t i) {
    run_tiles(x, to, tile, {tiles * i / pieces, tiles * (i + 1) / pieces});
  });
}

std::string DotKernel::describe() const {
  const auto number = [](std::int64_t i) { return std::to_string(i); };
  std::string text = "sums of " + number(plan_.n.size) + " products";
  if (!plan_.outer.empty()) text += " over " + number(plan_.outer.extent()) + " places";
  text += ", " + number(plan_.batched ? plan_.outer[plan_.outer.size() - 1].size : plan_.row.size);
  text += plan_.batched ? " summed rows a call" : " rows a call";
  if (plan_.pack_a) text += plan_.swapped ? ", b gathered" : ", a gathered";
  if (plan_.pack_b) text += plan_.swapped ? ", a gathered" : ", b gathered";
  return text;
}

}  // namespace

PairKind dot_kind() {
  return {"dot", "sums along an axis that is contiguous in an operand", &accepts_dot,
          [](const Pair& pair) {
            DotPlan plan;
            plan_dot(pair, plan);
            return plan.cost;
          },
          [](const Pair& pair) -> std::unique_ptr<PairKernel> {
            DotPlan plan;
            plan_dot(pair, plan);
            return std::make_unique<DotKernel>(plan);
          }};
}

}  // namespace tenfold::einsum_detail
