// Folds the products of a contraction: plans for whole and for shorter pieces, blocks in parallel.
#include <algorithm>
#include <cstdlib>
#include <new>

#include "einsum/fold_products.hpp"
#include "einsum/parallel.hpp"
#include "tenfold/error.hpp"

namespace tenfold::einsum_detail {
namespace {

// Blocks whose partial results are held at a time.
constexpr std::int64_t kBlocksHeld = 256;
// One product with its fold, for the choice of threads.
constexpr double kTermNs = 0.5;

// This thread's block; a unit of work takes it, and runs nothing of another meanwhile.
std::byte* block_memory() {
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  thread_local std::unique_ptr<void, Free> memory;
  if (!memory) memory.reset(std::aligned_alloc(4096, kFoldBlockBytes));
  if (!memory) throw std::bad_alloc();
  return static_cast<std::byte*>(memory.get());
}

const void* moved(const void* data, std::int64_t elements, DType dtype) {
  return static_cast<const std::byte*>(data) + elements * static_cast<std::int64_t>(size_of(dtype));
}

const RunOptions& on_this_thread() {
  static const RunOptions options{.threads = 1, .executor = &serial_executor()};
  return options;
}

}  // namespace

FoldedProducts::Piece FoldedProducts::piece(const std::vector<Axis>& axes, std::int64_t number,
                                            const MutableTensorView* output) const {
  Piece piece;
  piece.extents.resize(axes.size());
  piece.offsets.assign(operands_.size(), 0);
  for (std::size_t a = axes.size(); a-- > 0;) {
    const Axis& axis = axes[a];
    const std::int64_t begin = number % axis.pieces() * axis.block;
    number /= axis.pieces();
    piece.extents[a] = std::min(axis.block, axis.size - begin);
    piece.is_tail |= piece.extents[a] < axis.block;
    for (std::size_t i = 0; i < operands_.size(); ++i) piece.offsets[i] += begin * axis.step[i];
    if (output != nullptr) piece.output_offset += begin * output->strides[axis.output_axis];
  }
  return piece;
}

ReduceSpec FoldedProducts::fold_spec(std::int64_t axis) const {
  ReduceSpec spec;
  spec.op = op_;
  spec.axes = Dims{axis};
  spec.empty_is_error = empty_is_error_;
  spec.label = label_;
  return spec;
}

// The product of all operands over a block, nothing summed; `views` become the operands' parts.
EinsumSpec FoldedProducts::product_spec(const Piece& kept, const Piece& folded,
                                        std::vector<TensorView>& views) const {
  EinsumSpec spec;
  spec.labels.emplace(operands_.size());
  spec.output_labels.emplace();
  spec.dtype = compute_;
  spec.label = label_;
  for (const TensorView& operand : operands_)
    views.emplace_back(operand.data, operand.dtype, Dims{}, Dims{});
  const auto add = [&](const Axis& axis, std::int64_t extent) {
    if (extent == 1) return;
    const auto label = static_cast<int>(spec.output_labels->size());
    spec.output_labels->push_back(label);
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (!axis.in[i]) continue;
      (*spec.labels)[i].push_back(label);
      views[i].shape.push_back(extent);
      views[i].strides.push_back(axis.step[i]);
    }
  };
  const std::size_t outside = kept_.size() - (inner_ ? 1 : 0);
  for (std::size_t a = 0; a < outside; ++a) add(kept_[a], kept.extents[a]);
  for (std::size_t a = 0; a < folded_.size(); ++a) add(folded_[a], folded.extents[a]);
  if (inner_) add(kept_.back(), kept.extents.back());
  return spec;
}

void FoldedProducts::make_plans(const MutableTensorView& output) {
  // The last piece has the tail, if there is one.
  for (const std::int64_t k : {std::int64_t{0}, kept_pieces_ - 1}) {
    const Piece kept = piece(kept_, k, &output);
    PiecePlans& settle = settles_[kept.is_tail];
    settle = PiecePlans{};
    const std::size_t outside = kept_.size() - (inner_ ? 1 : 0);
    Dims before, after;  // of the block, around its folded positions
    for (std::size_t a = 0; a < kept_.size(); ++a) {
      settle.count *= kept.extents[a];
      if (kept.extents[a] == 1) continue;
      (a < outside ? before : after).push_back(kept.extents[a]);
      settle.shape.push_back(kept.extents[a]);
      settle.output_strides.push_back(output.strides[kept_[a].output_axis]);
    }
    for (const std::int64_t f : {std::int64_t{0}, folded_pieces_ - 1}) {
      const Piece folded = piece(folded_, f, nullptr);
      BlockPlans& block = blocks_[kept.is_tail][folded.is_tail];
      std::vector<TensorView> views;
      const EinsumSpec product = product_spec(kept, folded, views);
      block.product = einsum_plan(product, views);
      Dims shape = before;
      std::int64_t count = 1;
      for (const std::int64_t extent : folded.extents) count *= extent;
      shape.push_back(count);
      for (const std::int64_t extent : after) shape.push_back(extent);
      const ReduceSpec spec = fold_spec(before.size());
      const TensorView products(nullptr, compute_, shape);
      if (direct())
        block.fold.emplace(spec, products, settle.output_strides);
      else
        block.fold.emplace(spec, products);
    }
    if (direct()) continue;
    const bool converts = compute_ != element_;
    if (folded_pieces_ > 1) {
      Dims shape{folded_pieces_};
      for (const std::int64_t extent : settle.shape) shape.push_back(extent);
      const TensorView partials(nullptr, compute_, shape);
      if (converts)
        settle.combine.emplace(fold_spec(0), partials);
      else
        settle.combine.emplace(fold_spec(0), partials, settle.output_strides);
    }
    if (!converts) continue;
    EinsumSpec copy;
    copy.labels.emplace(1);
    for (int a = 0; a < settle.shape.size(); ++a) (*copy.labels)[0].push_back(a);
    copy.output_labels = (*copy.labels)[0];
    copy.dtype = element_;
    const TensorView results(nullptr, compute_, settle.shape);
    settle.convert =
        std::make_shared<const EinsumPlan>(copy, std::span(&results, 1), settle.output_strides);
  }
}

// One block: its products into scratch, their fold into the output or to `partial`.
void FoldedProducts::fold_block(std::int64_t kept_number, std::int64_t folded_number,
                                std::byte* partial, const MutableTensorView& output) const {
  const Piece kept = piece(kept_, kept_number, &output);
  const Piece folded = piece(folded_, folded_number, nullptr);
  const BlockPlans& plans = blocks_[kept.is_tail][folded.is_tail];
  const PiecePlans& settle = settles_[kept.is_tail];
  std::vector<TensorView> views;
  product_spec(kept, folded, views);
  for (std::size_t i = 0; i < views.size(); ++i)
    views[i].data = moved(views[i].data, kept.offsets[i] + folded.offsets[i], views[i].dtype);
  std::byte* const block = block_memory();
  const Dims& shape = plans.product->output_shape();
  plans.product->run(views, MutableTensorView(block, compute_, shape), on_this_thread());

  Dims fold_shape;
  const std::size_t outside = kept_.size() - (inner_ ? 1 : 0);
  std::int64_t count = 1;
  for (const std::int64_t extent : folded.extents) count *= extent;
  for (std::size_t a = 0; a < outside; ++a)
    if (kept.extents[a] != 1) fold_shape.push_back(kept.extents[a]);
  fold_shape.push_back(count);
  if (inner_ && kept.extents.back() != 1) fold_shape.push_back(kept.extents.back());
  const TensorView products(block, compute_, fold_shape);
  if (direct()) {
    const MutableTensorView to(const_cast<void*>(moved(output.data, kept.output_offset, element_)),
                               element_, settle.shape, settle.output_strides);
    plans.fold->run(products, to, on_this_thread());
  } else {
    plans.fold->run(products, MutableTensorView(partial, compute_, settle.shape), on_this_thread());
  }
}

// The partial results of a kept piece into the output.
void FoldedProducts::settle(std::int64_t kept_number, const std::byte* partials,
                            const MutableTensorView& output) const {
  const Piece kept = piece(kept_, kept_number, &output);
  const PiecePlans& plans = settles_[kept.is_tail];
  const MutableTensorView to(const_cast<void*>(moved(output.data, kept.output_offset, element_)),
                             element_, plans.shape, plans.output_strides);
  const void* results = partials;
  if (plans.combine) {
    Dims shape{folded_pieces_};
    for (const std::int64_t extent : plans.shape) shape.push_back(extent);
    const TensorView from(partials, compute_, shape);
    if (!plans.convert) return plans.combine->run(from, to, on_this_thread());
    std::byte* const block = block_memory();
    plans.combine->run(from, MutableTensorView(block, compute_, plans.shape), on_this_thread());
    results = block;
  }
  plans.convert->run({TensorView(results, compute_, plans.shape)}, to, on_this_thread());
}

void FoldedProducts::run_blocks(const MutableTensorView& output, const RunOptions& options) {
  make_plans(output);
  const std::int64_t held =
      direct() ? kept_pieces_ : std::max<std::int64_t>(1, kBlocksHeld / folded_pieces_);
  const std::int64_t partial_bytes = kept_block_ * static_cast<std::int64_t>(size_of(compute_));
  Tensor partials;
  if (!direct())
    partials =
        Tensor(DType::kU8, Dims{std::min(held, kept_pieces_) * folded_pieces_, partial_bytes});
  const double term_ns = kTermNs * static_cast<double>(operands_.size());
  for (std::int64_t first = 0; first < kept_pieces_; first += held) {
    const std::int64_t pieces = std::min(held, kept_pieces_ - first);
    const std::int64_t count = pieces * folded_pieces_;
    const double share = static_cast<double>(pieces) / static_cast<double>(kept_pieces_);
    const int threads = threads_for(options, terms_ * term_ns * share, count);
    // A kept piece's partial results are dense: a shorter piece's lie closer.
    const auto partials_of = [&](std::int64_t k) {
      return static_cast<std::byte*>(partials.data()) + k * folded_pieces_ * partial_bytes;
    };
    run_pieces(options, threads, count, [&](std::int64_t unit) {
      const std::int64_t k = unit / folded_pieces_, f = unit % folded_pieces_;
      std::byte* partial = nullptr;
      if (!direct()) {
        const bool is_tail = piece(kept_, first + k, nullptr).is_tail;
        partial = partials_of(k) +
                  f * settles_[is_tail].count * static_cast<std::int64_t>(size_of(compute_));
      }
      fold_block(first + k, f, partial, output);
    });
    if (direct()) continue;
    run_pieces(options, threads, pieces,
               [&](std::int64_t k) { settle(first + k, partials_of(k), output); });
  }
}

}  // namespace tenfold::einsum_detail
