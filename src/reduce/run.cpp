// Executes a plan: units in parallel (or, where there are too few, subtrees of them), states,
// finish.
#include <algorithm>
#include <cstring>
#include <vector>

#include "core/layout.hpp"
#include "reduce/plan.hpp"
#include "reduce/rescue.hpp"
#include "reduce/scratch.hpp"
#include "tenfold/error.hpp"

namespace tenfold {
namespace {

using Plan = ReducePlan::Impl;

// Below this many bytes of input a second thread costs more than it brings.
constexpr std::int64_t kParallelBytes = 256 * 1024;
// Pieces per thread: enough to even out, few enough to stay large.
constexpr std::int64_t kPiecesPerThread = 4;

struct Tile {
  std::int64_t group = 0, groups = 1, first = 0, width = 1;
};  // of the block's kept part

// A part of what a unit reduces: positions of the outermost reduced loop, or elements of n.
struct Part {
  std::int64_t begin = 0, end = 0;
};

// The units of a run; tiles may be cut smaller than planned to feed more threads.
struct Units {
  std::int64_t tile_width, tile_groups, across, tiles, count;

  explicit Units(const Plan& plan, int threads)
      : tile_width(plan.tile_width), tile_groups(plan.tile_groups) {
    std::int64_t positions = 1;
    for (const Loop& loop : plan.kept) positions *= loop.size;
    if (threads > 1) {
      const std::int64_t wanted = (threads * kPiecesPerThread + positions - 1) / positions;
      // Columns are cut at whole cache lines and not below a few; rows and groups anywhere.
      const std::int64_t grain = plan.shape == Plan::Shape::kInner ? 16 : 256;
      if (plan.groups.size > 1 && plan.batch == 1)
        tile_groups = std::min(tile_groups, (plan.groups.size + wanted - 1) / wanted);
      const std::int64_t width = (plan.width.size + wanted - 1) / wanted;
      if (tile_groups == 1 && plan.batch == 1)
        tile_width = std::min(tile_width, (width + grain - 1) / grain * grain);
    }
    across = (plan.width.size + tile_width - 1) / tile_width;
    tiles = across * ((plan.groups.size + tile_groups - 1) / tile_groups);
    count = positions * tiles;
  }

  Tile tile(const Plan& plan, std::int64_t index) const {
    Tile t;
    t.first = index % across * tile_width;
    t.width = std::min(tile_width, plan.width.size - t.first);
    t.group = index / across * tile_groups;
    t.groups = std::min(tile_groups, plan.groups.size - t.group);
    return t;
  }
};

// What a unit is cut along for threads: positions of the outermost reduced loop, or elements of n.
std::int64_t cut_extent(const Plan& plan) {
  return plan.reduced.empty() ? plan.n.size : plan.reduced[0].size;
}

// One unit on one thread.
class Worker {
 public:
  Worker(const Plan& plan, const Units& units, const std::byte* in, std::byte* out)
      : plan_(plan),
        units_(units),
        kernel_(plan.kernel),
        finish_(plan.finish),
        element_(static_cast<std::int64_t>(size_of(plan.in_dtype))),
        out_element_(static_cast<std::int64_t>(size_of(plan.out_dtype))),
        in_(in + plan.in_offset * element_),
        out_(out + plan.out_offset * out_element_) {}

  void run_unit(std::int64_t unit) {
    locate(unit);
    Arena arena;
    std::byte* states = finishes_in_place() ? unit_out_ : arena.take(state_bytes());
    fold_part(whole(), states, arena);
    finish(states, arena);
  }

  // The same in two steps: the states of a part; then the finished unit from the states of all
  // parts.
  void run_part(std::int64_t unit, Part part, std::byte* states) {
    locate(unit);
    Arena arena;
    fold_part(part, states, arena);
  }
  void finish_unit(std::int64_t unit, std::byte* parts, std::int64_t count) {
    locate(unit);
    StateTree::fold_rows(*kernel_, plan_.args, parts, count, states());
    Arena arena;
    finish(parts, arena);
  }

  Part whole() const { return {0, cut_extent(plan_)}; }

 private:
  std::int64_t states() const { return tile_.groups * tile_.width; }
  std::int64_t state_bytes() const {
    return states() * static_cast<std::int64_t>(kernel_->state_size);
  }

  // States as large as outputs may lie where the outputs go, unless the input lies there too. That
  // pays where the outputs are many and the kernel has more to do than to write them (measured).
  bool finishes_in_place() const {
    constexpr std::int64_t kManyBytes = 8 << 20;
    const std::int64_t count = plan_.finish_args.count;
    return plan_.shape == Plan::Shape::kInner && plan_.width.out == 1 && count > 1 &&
           static_cast<std::int64_t>(kernel_->state_size) == out_element_ &&
           (plan_.n.size > 4 || plan_.element_total / count * out_element_ > kManyBytes);
  }

  // Sets the tile and the first element of the unit in input and output.
  void locate(std::int64_t unit) {
    tile_ = units_.tile(plan_, unit % units_.tiles);
    unit /= units_.tiles;
    const std::int64_t in = tile_.first * plan_.width.in + tile_.group * plan_.groups.in;
    const std::int64_t out = tile_.first * plan_.width.out + tile_.group * plan_.groups.out;
    unit_in_ = in_ + in * element_;
    unit_out_ = out_ + out * out_element_;
    for (int i = plan_.kept.size() - 1; i >= 0 && unit != 0; --i) {
      const Loop& loop = plan_.kept[i];
      unit_in_ += unit % loop.size * loop.in * element_;
      unit_out_ += unit % loop.size * loop.out * out_element_;
      unit /= loop.size;
    }
  }

  void fold_part(Part part, std::byte* states, Arena arena) {
    if (plan_.reduced.empty())
      fold_block(unit_in_, 1, part, states, arena);
    else
      fold_loop(0, unit_in_, part, states, arena);
  }

  // Folds positions of reduced loop `depth` and all loops inside it.
  void fold_loop(int depth, const std::byte* in, Part part, std::byte* states, Arena arena) {
    const Loop& loop = plan_.reduced[depth];
    const std::int64_t step = loop.in * element_, count = part.end - part.begin;
    const bool innermost = depth == plan_.reduced.size() - 1;
    const std::int64_t batch = innermost ? std::min(plan_.batch, count) : 1;
    std::byte* next = arena.take(batch * state_bytes());
    StateTree tree(*kernel_, plan_.args, this->states(),
                   arena.take(StateTree::bytes(count, state_bytes())));
    const int level = std::countr_zero(static_cast<std::uint64_t>(plan_.batch));
    for (std::int64_t i = part.begin; i < part.end; i += batch) {
      const std::int64_t positions = std::min(batch, part.end - i);
      if (innermost)
        fold_block(in + i * step, positions, {0, plan_.n.size}, next, arena);
      else
        fold_loop(depth + 1, in + i * step, {0, plan_.reduced[depth + 1].size}, next, arena);
      StateTree::fold_rows(*kernel_, plan_.args, next, positions, this->states());
      if (innermost && positions < plan_.batch) return tree.finish(states, next);
      tree.push(next, innermost ? level : 0);
    }
    tree.finish(states);
  }

  // Folds elements `part` of n, for `positions` successive positions of the innermost reduced loop.
  void fold_block(const std::byte* in, std::int64_t positions, Part part, std::byte* states,
                  Arena arena) {
    if (!plan_.packed) {
      call_kernel(in + part.begin * plan_.n.in * element_, positions, part, states, arena);
      return;
    }
    const std::int64_t size = part.end - part.begin, step = plan_.cut_n ? plan_.cut_n : size;
    std::byte* next = arena.take(state_bytes());
    StateTree tree(*kernel_, plan_.args, this->states(),
                   arena.take(StateTree::bytes((size + step - 1) / step, state_bytes())));
    for (std::int64_t i = part.begin; i < part.end; i += step) {
      const Part cut{i, std::min(i + step, part.end)};
      pack_and_call(in + i * plan_.n.in * element_, cut, next, arena);
      if (cut.end - cut.begin < step) return tree.finish(states, next);
      tree.push(next, 0);
    }
    tree.finish(states);
  }

  kernels::KernelArgs args_at(std::int64_t index) const {
    kernels::KernelArgs args = plan_.args;
    args.index = index;
    return args;
  }

  void call_kernel(const std::byte* in, std::int64_t positions, Part part, std::byte* states,
                   Arena arena) {
    const Loop &width = plan_.width, &groups = plan_.groups;
    const auto args = args_at(part.begin);
    const std::int64_t n = part.end - part.begin;
    // A loop of one position has no stride of its own: it lends its place to the batched reduced
    // loop.
    const auto stride = [&](const Loop& loop) {
      return positions > 1 && loop.size == 1 ? plan_.reduced[plan_.reduced.size() - 1].in : loop.in;
    };
    if (plan_.shape == Plan::Shape::kInner) {
      kernel_->inner(in, positions * tile_.width, stride(width), n, states, args);
    } else {
      std::byte* scratch = arena.take(0);
      kernel_->outer(in, positions * tile_.groups, stride(groups), n, plan_.n.in, tile_.width,
                     states, scratch, args);
    }
  }

  // Gathers a block into dense scratch, converted to the type of computation.
  void pack_and_call(const std::byte* in, Part part, std::byte* states, Arena arena) {
    const std::int64_t n = part.end - part.begin, width = tile_.width;
    const auto size = static_cast<std::int64_t>(size_of(plan_.row.compute));
    std::byte* packed = arena.take(n * this->states() * size);
    std::byte* to = packed;
    if (plan_.shape == Plan::Shape::kInner) {
      for (std::int64_t r = 0; r < width; ++r, to += n * size)
        plan_.convert(in + r * plan_.width.in * element_, plan_.n.in, n, to);
      kernel_->inner(packed, width, n, n, states, args_at(part.begin));
      return;
    }
    for (std::int64_t g = 0; g < tile_.groups; ++g)
      for (std::int64_t i = 0; i < n; ++i, to += width * size)
        plan_.convert(in + (g * plan_.groups.in + i * plan_.n.in) * element_, plan_.width.in, width,
                      to);
    kernel_->outer(packed, tile_.groups, n * width, n, width, width, states, arena.take(0),
                   args_at(part.begin));
  }

  void finish(const std::byte* states, Arena& arena) {
    const std::int64_t w = tile_.width, g = tile_.groups;
    bool good = true;
    if (plan_.width.out == 1 || w == 1) {
      const bool dense = g == 1 || (plan_.groups.out == w);
      const std::int64_t calls = dense ? 1 : g, count = dense ? g * w : w;
      const std::int64_t row = count * static_cast<std::int64_t>(kernel_->state_size);
      for (std::int64_t i = 0; i < calls; ++i)
        good &= finish_(states + i * row, count, unit_out_ + i * plan_.groups.out * out_element_,
                        plan_.finish_args);
    } else {
      std::byte* dense = arena.take(g * w * out_element_);
      good = finish_(states, g * w, dense, plan_.finish_args);
      for (std::int64_t i = 0; i < g; ++i)
        scatter(dense + i * w * out_element_, w, unit_out_ + i * plan_.groups.out * out_element_);
    }
    if (good) return;
    if (plan_.exact_kernel != nullptr)
      refold();
    else
      rescue_unit();
  }

  void scatter(const std::byte* from, std::int64_t count, std::byte* to) const {
    const std::int64_t stride = plan_.width.out;
    visit_real_dtype(plan_.out_dtype, [&]<class T>() {
      const T* p = reinterpret_cast<const T*>(from);
      T* q = reinterpret_cast<T*>(to);
      for (std::int64_t i = 0; i < count; ++i) q[i * stride] = p[i];
    });
  }

  // Some extreme is a zero of unknown sign: the unit once more, on keys. Its states are no longer
  // needed.
  void refold() {
    kernel_ = plan_.exact_kernel;
    finish_ = plan_.exact_finish;
    Arena arena;
    std::byte* states = arena.take(state_bytes());
    fold_part(whole(), states, arena);
    finish(states, arena);
    kernel_ = plan_.kernel;
    finish_ = plan_.finish;
  }

  // Some result left the range of its state: look again at each output that may have.
  void rescue_unit() {
    for (std::int64_t g = 0; g < tile_.groups; ++g)
      for (std::int64_t c = 0; c < tile_.width; ++c)
        rescue(plan_, unit_in_ + (g * plan_.groups.in + c * plan_.width.in) * element_,
               unit_out_ + (g * plan_.groups.out + c * plan_.width.out) * out_element_);
  }

  const Plan& plan_;
  const Units& units_;
  const kernels::ReduceKernel* kernel_;
  kernels::FinishFn finish_;
  const std::int64_t element_, out_element_;
  const std::byte* in_;
  std::byte* out_;
  const std::byte* unit_in_ = nullptr;
  std::byte* unit_out_ = nullptr;
  Tile tile_;
};

void check_call(const Plan& plan, const TensorView& in, const MutableTensorView& out) {
  if (!is_planned(in, plan.in_dtype, plan.in_shape, plan.in_strides))
    refuse_unplanned(plan.label, "input", plan.in_dtype, plan.in_shape, plan.in_strides, in);
  if (!is_planned(out, plan.out_dtype, plan.out_shape, plan.out_strides))
    refuse_unplanned(plan.label, "output", plan.out_dtype, plan.out_shape, plan.out_strides, out);
  if (plan.work == Plan::Work::kNothing) return;
  if (out.data == nullptr || (in.data == nullptr && plan.work == Plan::Work::kFold))
    throw Error(ErrorCode::kNullData, plan.label,
                out.data ? "input has no data" : "output has no data", "a pointer to elements",
                "null");
  if (plan.work != Plan::Work::kFold) return;
  if (!ranges_meet(in.data, byte_range(in.dtype, in.shape, in.strides), out.data,
                   byte_range(out.dtype, out.shape, out.strides)))
    return;
  // Element by element is safe in place: nothing is reduced and each output lies on its own input.
  const bool in_place = plan.finish_args.count == 1 && in.dtype == out.dtype &&
                        in.data == out.data && in.shape == out.shape && in.strides == out.strides;
  if (!in_place)
    throw Error(ErrorCode::kOverlap, plan.label, "output overlaps the input",
                "separate memory (or, where nothing is reduced, the very same layout)");
}

void fill(const Plan& plan, std::byte* out) {
  std::byte value[16];
  write_empty_value(plan.op, plan.out_dtype, value);
  fill_elements(out, plan.out_dtype, plan.out_shape, plan.out_strides, value);
}

// How a unit is cut into parts: whole subtrees of the outermost reduced loop, or of n.
std::int64_t part_size(const Plan& plan, std::int64_t units, int threads) {
  const std::int64_t total = cut_extent(plan);
  const std::int64_t wanted = (threads * kPiecesPerThread + units - 1) / units;
  std::int64_t size = plan.reduced.empty() ? std::max(plan.kernel->cut, plan.cut_n) : plan.batch;
  while (size * wanted < total) size *= 2;
  return size;
}

void run_parts(const Plan& plan, const Units& units, const std::byte* in, std::byte* out,
               Executor& executor, int threads) {
  const std::int64_t total = cut_extent(plan), size = part_size(plan, units.count, threads);
  const std::int64_t parts = (total + size - 1) / size;
  const std::int64_t row =
      units.tile_width * units.tile_groups * static_cast<std::int64_t>(plan.kernel->state_size);
  std::vector<std::byte> states(static_cast<std::size_t>(units.count * parts * row + 64));
  // States of a narrow last tile lie closer together; each unit has a region of its own.
  const auto region = [&](std::int64_t unit) { return states.data() + unit * parts * row; };
  const auto row_of_unit = [&](std::int64_t unit) {
    const Tile t = units.tile(plan, unit % units.tiles);
    return t.width * t.groups * static_cast<std::int64_t>(plan.kernel->state_size);
  };
  executor.run(units.count * parts, threads, [&](std::int64_t task) {
    const std::int64_t unit = task / parts, part = task % parts;
    Worker(plan, units, in, out)
        .run_part(unit, {part * size, std::min(total, (part + 1) * size)},
                  region(unit) + part * row_of_unit(unit));
  });
  for (std::int64_t unit = 0; unit < units.count; ++unit)
    Worker(plan, units, in, out).finish_unit(unit, region(unit), parts);
}

}  // namespace

void ReducePlan::Impl::run(const TensorView& input, const MutableTensorView& output,
                           const RunOptions& options) const {
  check_call(*this, input, output);
  if (work == Work::kNothing) return;
  const auto* in = static_cast<const std::byte*>(input.data);
  auto* out = static_cast<std::byte*>(output.mutable_data());
  if (work == Work::kFill) return fill(*this, out);

  int threads = 1;
  Executor* executor = options.executor;
  if (options.threads != 1 &&
      element_total * static_cast<std::int64_t>(size_of(in_dtype)) >= kParallelBytes) {
    if (executor == nullptr) executor = &default_executor();
    threads = executor->concurrency();
    if (options.threads > 0) threads = std::min(threads, options.threads);
  }
  const Units units(*this, threads);
  if (threads <= 1) {
    Worker worker(*this, units, in, out);
    for (std::int64_t unit = 0; unit < units.count; ++unit) worker.run_unit(unit);
    return;
  }
  if (units.count < threads) {
    run_parts(*this, units, in, out, *executor, threads);
    return;
  }
  const std::int64_t tasks = std::min<std::int64_t>(units.count, threads * kPiecesPerThread);
  executor->run(tasks, threads, [&](std::int64_t task) {
    Worker worker(*this, units, in, out);
    const std::int64_t end = units.count * (task + 1) / tasks;
    for (std::int64_t unit = units.count * task / tasks; unit < end; ++unit) worker.run_unit(unit);
  });
}

}  // namespace tenfold
