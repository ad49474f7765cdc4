#include "reduce/plan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/layout.hpp"
#include "tenfold/error.hpp"

namespace tenfold {
namespace {

using kernels::Finish;
using kernels::KernelOp;

bool is_arg(ReduceOp op) { return op == ReduceOp::kArgMax || op == ReduceOp::kArgMin; }

}  // namespace

ReducePlan::Impl::Impl(const ReduceSpec& spec, const TensorView& input, const Dims* output_strides)
    : label(spec.label.empty() ? std::string(name_of(spec.op)) : spec.label),
      op(spec.op),
      in_dtype(input.dtype),
      in_shape(input.shape),
      in_strides(input.strides) {
  const std::int64_t in_count = element_count(in_shape);
  check_strides(label, "input", in_shape, in_strides, in_dtype);
  std::uint64_t reduced_axes = 0;
  resolve_axes(spec, &reduced_axes);
  choose_kernel(spec);

  // One output stride for each input axis.
  std::int64_t count = 1;  // elements reduced into each output
  for (int axis = 0; axis < in_shape.size(); ++axis) {
    const bool is_reduced = (reduced_axes >> axis & 1) != 0;
    if (is_reduced) count *= in_shape[axis];
    if (!is_reduced)
      out_shape.push_back(in_shape[axis]);
    else if (spec.keepdims)
      out_shape.push_back(1);
  }
  out_strides = output_strides ? *output_strides : contiguous_strides(out_shape);
  check_strides(label, "output", out_shape, out_strides, out_dtype);
  const std::int64_t out_count = element_count(out_shape);
  for (int axis = 0; axis < out_shape.size(); ++axis)
    if (out_count > 0 && out_shape[axis] > 1 && out_strides[axis] == 0)
      throw Error(ErrorCode::kOverlap, label, "output elements overlap each other",
                  "non-zero output strides", to_string(out_strides));

  // NumPy refuses it also where there is no output.
  if (count == 0 && spec.empty_is_error && (op == ReduceOp::kMax || op == ReduceOp::kMin))
    throw Error(ErrorCode::kEmptyAxis, label, "no value over an empty set", "a non-empty set",
                "shape " + to_string(in_shape));
  if (out_count == 0) {
    work = Work::kNothing;
    return;
  }
  if (in_count == 0) {
    if (is_arg(op))
      throw Error(ErrorCode::kEmptyAxis, label, "no element to point at", "a non-empty axis",
                  "shape " + to_string(in_shape));
    work = Work::kFill;
    return;
  }

  Dims out_of_axis;
  for (int axis = 0, o = 0; axis < in_shape.size(); ++axis) {
    const bool is_reduced = (reduced_axes >> axis & 1) != 0;
    out_of_axis.push_back(is_reduced ? 0 : out_strides[o]);
    o += !is_reduced || spec.keepdims ? 1 : 0;
  }
  // Only where the order of the elements is free may a reduced axis run backwards.
  const bool flip_reduced = !row.ordered && !is_arg(op);
  const Folded folded = fold(in_shape, in_strides, out_of_axis, reduced_axes, flip_reduced);
  in_offset = folded.in_offset;
  out_offset = folded.out_offset;
  element_total = in_count;
  finish_args.count = count;
  choose_block(folded.loops);
  choose_tiles();
}

void ReducePlan::Impl::resolve_axes(const ReduceSpec& spec, std::uint64_t* reduced_axes) {
  const int rank = in_shape.size();
  if (is_arg(op) && (spec.axes ? spec.axes->size() != 1 : rank > 1))
    throw Error(
        ErrorCode::kBadArgument, label, "wrong number of axes", "exactly one axis",
        spec.axes ? std::to_string(spec.axes->size()) : "none given, rank " + std::to_string(rank));
  if (!spec.axes) {
    *reduced_axes = rank == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rank) - 1;
    return;
  }
  for (std::int64_t axis : *spec.axes) {
    if (axis < -rank || axis >= rank)
      throw Error(ErrorCode::kAxisOutOfRange, label, "axis out of range",
                  rank == 0 ? "no axis (rank 0)"
                            : std::to_string(-rank) + " .. " + std::to_string(rank - 1) +
                                  " (rank " + std::to_string(rank) + ")",
                  std::to_string(axis));
    const std::uint64_t bit = std::uint64_t{1} << (axis < 0 ? axis + rank : axis);
    if (*reduced_axes & bit)
      throw Error(ErrorCode::kDuplicateAxis, label, "the same axis twice", "each axis at most once",
                  "axes " + to_string(*spec.axes));
    *reduced_axes |= bit;
  }
}

void ReducePlan::Impl::choose_kernel(const ReduceSpec& spec) {
  const DType element = spec.dtype.value_or(in_dtype);
  if (is_complex(in_dtype) || is_complex(element))
    throw Error(ErrorCode::kTypeNotAllowed, label, "complex numbers are not reduced", "a real type",
                std::string(name_of(is_complex(element) ? element : in_dtype)));
  const std::optional<OpRow> found = op_row(op, element);
  if (!found)
    throw Error(ErrorCode::kTypeNotAllowed, label, "type not allowed", "a numeric type",
                std::string(name_of(element)));
  row = *found;
  out_dtype = row.output;
  kernel = kernels::find_kernel(row.kernel, row.compute);
  finish = kernels::find_finish(row.finish, row.state, row.output);
  if (row.finish == Finish::kExtreme) {
    exact_kernel = kernels::find_kernel(KernelOp::kMaxKey, row.compute);
    exact_finish = kernels::find_finish(Finish::kKey, row.state, row.output);
  }
  args.flip = kernels::key_flip(row.compute, row.minimum);
  args.offset = kernels::key_offset(row.compute);
  args.last = spec.select_last_index;
  finish_args.flip = args.flip;
  finish_args.offset = args.offset;
}

// Takes the block's loops out of the folded ones; the rest goes around it.
void ReducePlan::Impl::choose_block(Loops loops) {
  const auto take_innermost = [&](bool is_reduced) {
    for (int i = loops.size() - 1; i >= 0; --i)
      if (loops[i].reduced == is_reduced) {
        const Loop loop = loops[i];
        loops.erase(i);
        return loop;
      }
    return Loop{1, is_reduced || shape == Shape::kInner ? 0 : 1, is_reduced ? 0 : 1, is_reduced};
  };
  for (const Loop& loop : loops) shape = loop.reduced ? Shape::kInner : Shape::kOuter;  // the last
  n = take_innermost(true);
  width = take_innermost(false);
  if (shape == Shape::kOuter) groups = take_innermost(false);
  for (const Loop& loop : loops) (loop.reduced ? reduced : kept).push_back(loop);

  const Loop& contiguous = shape == Shape::kInner ? n : width;
  packed = (contiguous.size > 1 && contiguous.in != 1) || row.compute != in_dtype;
  if (packed) convert = find_convert(in_dtype, row.compute);
}

void ReducePlan::Impl::choose_tiles() {
  const auto state = static_cast<std::int64_t>(kernel->state_size);
  const auto element = static_cast<std::int64_t>(size_of(row.compute));
  const bool inner = shape == Shape::kInner;
  // Rows: 16 KB of states, which stay in L1 between the kernel and the finisher. Columns: as many
  // as the kernel likes at once.
  tile_width = std::min(width.size,
                        inner ? std::min<std::int64_t>(16384 / state, 2048) : kernel->max_columns);
  tile_groups = inner ? 1 : std::clamp<std::int64_t>(16384 / state / tile_width, 1, groups.size);
  if (tile_width < width.size) tile_groups = 1;

  std::int64_t pack_bytes = 0;
  if (packed) {
    constexpr std::int64_t kPackElements = 16384;
    // At most one subtree of n at a time, and of it as many rows or columns as stay in cache.
    const std::int64_t subtree = std::max<std::int64_t>(kernel->cut, inner ? 8192 : kernel->cut);
    cut_n = n.size > subtree ? subtree : 0;
    const std::int64_t depth = cut_n ? cut_n : n.size;
    tile_width = std::clamp<std::int64_t>(kPackElements / depth, 1, tile_width);
    if (!inner) tile_width = std::min(width.size, std::max<std::int64_t>(tile_width, 16));
    tile_groups =
        inner || tile_width < width.size
            ? 1
            : std::clamp<std::int64_t>(kPackElements / (depth * tile_width), 1, tile_groups);
    pack_bytes = depth * tile_width * tile_groups * element + 64;
  }

  // Each reduced loop (and a cut n) keeps a tree of tiles: one node a level, and one on the way.
  const auto levels = [](std::int64_t count) {
    return 66 - __builtin_clzll(static_cast<unsigned long long>(count));
  };
  std::int64_t nodes = 3;
  for (const Loop& loop : reduced) nodes += levels(loop.size);
  if (cut_n) nodes += levels(n.size / cut_n + 1);
  const auto needed = [&] {
    const std::int64_t columns = inner ? 0 : std::min(tile_width, kernel->max_columns);
    const auto scratch =
        static_cast<std::int64_t>(kernel->scratch(cut_n ? cut_n : n.size, columns));
    return nodes * (tile_width * tile_groups * state + 64) + scratch + pack_bytes + 8192;
  };
  while (needed() > kScratchBytes && tile_groups > 1) tile_groups = (tile_groups + 1) / 2;
  while (needed() > kScratchBytes && tile_width > 1) tile_width = (tile_width + 1) / 2;

  // The innermost reduced loop joins the block where both step as one: one call for many positions.
  if (!reduced.empty() && !packed) {
    const Loop& last = reduced[reduced.size() - 1];
    const Loop& outermost = inner ? width : groups;
    const std::int64_t tile = inner ? tile_width : tile_groups;
    if (tile == outermost.size && (inner || tile_width == width.size) &&
        (outermost.size == 1 || last.in == outermost.in * outermost.size)) {
      const std::int64_t states = tile_width * tile_groups;
      batch = std::clamp<std::int64_t>(16384 / (states * state), 1, last.size);
      while (batch & (batch - 1)) batch &= batch - 1;  // a power of two: a whole subtree
    }
  }
}

ReducePlan::ReducePlan(const ReduceSpec& spec, const TensorView& input)
    : impl_(std::make_unique<Impl>(spec, input, nullptr)) {}
ReducePlan::ReducePlan(const ReduceSpec& spec, const TensorView& input, const Dims& output_strides)
    : impl_(std::make_unique<Impl>(spec, input, &output_strides)) {}
ReducePlan::ReducePlan(ReducePlan&&) noexcept = default;
ReducePlan& ReducePlan::operator=(ReducePlan&&) noexcept = default;
ReducePlan::~ReducePlan() = default;

DType ReducePlan::output_dtype() const { return impl_->out_dtype; }
const Dims& ReducePlan::output_shape() const { return impl_->out_shape; }
std::string ReducePlan::explain() const { return impl_->explain(); }
void ReducePlan::run(const TensorView& input, const MutableTensorView& output,
                     const RunOptions& options) const {
  impl_->run(input, output, options);
}

Tensor reduce(const TensorView& input, const ReduceSpec& spec, const RunOptions& options) {
  const ReducePlan::Impl plan(spec, input, nullptr);
  Tensor output(plan.out_dtype, plan.out_shape);
  plan.run(input, output, options);
  return output;
}

void reduce_into(const TensorView& input, const ReduceSpec& spec, const MutableTensorView& output,
                 const RunOptions& options) {
  ReducePlan::Impl(spec, input, &output.strides).run(input, output, options);
}

}  // namespace tenfold
