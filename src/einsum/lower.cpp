#include "einsum/lower.hpp"

#include <algorithm>
#include <utility>

#include "tenfold/error.hpp"

namespace tenfold::einsum_detail {
namespace {

// No other axis steps nearer, as strides of 1 are where there are no gaps. False if the view is not
// made yet.
bool is_innermost(const LabeledView& view, int label) {
  if (view.strides.empty()) return false;
  const std::int64_t step = std::abs(stride_of(view, label));
  return step != 0 && std::none_of(view.strides.begin(), view.strides.end(),
                                   [&](std::int64_t s) { return s != 0 && std::abs(s) < step; });
}

}  // namespace

std::int64_t stride_of(const LabeledView& view, int label) {
  for (std::size_t i = 0; i < view.labels.size(); ++i)
    if (view.labels[i] == label) return view.strides[i];
  return 0;
}

Lowering::Lowering(const Equation& equation, DType common, int operands)
    : sizes_(equation.sizes),
      names_(equation.names),
      common_(common),
      operand_count_(operands),
      constant_slot_(operands + 1) {}

DType Lowering::stored_type() const {
  return common_ == DType::kBool ? common_ : acc_type(common_);
}

std::string Lowering::names(const std::vector<int>& labels) const {
  std::string text;
  for (int label : labels) text += names_[static_cast<std::size_t>(label)];
  return text;
}

int Lowering::add_label(std::string name, std::int64_t size) {
  names_.push_back(std::move(name));
  sizes_.push_back(size);
  return static_cast<int>(sizes_.size()) - 1;
}

LabeledView Lowering::view_of(int slot, DType dtype, const Dims& shape, const Dims& strides,
                              const std::vector<int>& labels) const {
  LabeledView view;
  view.slot = slot;
  view.dtype = dtype;
  for (int axis = 0; axis < shape.size(); ++axis) {
    const int label = labels[static_cast<std::size_t>(axis)];
    if (shape[axis] == 1) continue;
    const auto found = std::find(view.labels.begin(), view.labels.end(), label);
    if (found == view.labels.end()) {
      view.labels.push_back(label);
      view.strides.push_back(strides[axis]);
    } else {  // a diagonal steps along all of its axes at once
      view.strides[static_cast<std::size_t>(found - view.labels.begin())] += strides[axis];
    }
  }
  return view;
}

LabeledView Lowering::laid_out(DType dtype, std::vector<int> labels) const {
  LabeledView view;
  view.dtype = dtype;
  view.labels = std::move(labels);
  view.strides.resize(view.labels.size());
  std::int64_t count = 1;
  for (std::size_t i = view.labels.size(); i-- > 0;) {
    view.strides[i] = count;
    if (__builtin_mul_overflow(count, size_of_label(view.labels[i]), &count) ||
        count > INT64_MAX / 64)
      throw Error(ErrorCode::kSizeOverflow, "einsum", "an intermediate is too large",
                  "fewer than 2^57 elements", "labels " + names(view.labels));
  }
  return view;
}

std::int64_t Lowering::elements_of(const LabeledView& temporary) const {
  return temporary.labels.empty() ? 1 : temporary.strides[0] * size_of_label(temporary.labels[0]);
}

void Lowering::take(LabeledView& temporary) {
  temporary.slot = operand_count_ + 2 + static_cast<int>(temporaries.size());
  const auto step = static_cast<int>(steps.size());
  const std::int64_t count = elements_of(temporary);
  const auto size = static_cast<std::int64_t>(size_of(temporary.dtype));
  const std::int64_t bytes = (count * size + 63) / 64 * 64;
  temporaries.push_back({temporary.dtype, count, bytes, step, step, 0, names(temporary.labels)});
}

// --- the order

void Lowering::prepare(std::vector<LabeledView> operands, const LabeledView& output) {
  output_labels_ = output.labels;
  std::vector<int> uses(sizes_.size(), 0);
  for (const LabeledView& view : operands)
    for (int label : view.labels) ++uses[static_cast<std::size_t>(label)];
  for (int label : output.labels) ++uses[static_cast<std::size_t>(label)];
  views_ = std::move(operands);
  for (std::size_t i = 0; i < views_.size(); ++i) {
    LabeledView& view = views_[i];
    const auto is_lone = [&](int label) { return uses[static_cast<std::size_t>(label)] == 1; };
    const bool sums = std::any_of(view.labels.begin(), view.labels.end(), is_lone);
    // A sum converts on its way, but where its type is not the one that elements round to first.
    const bool converts = !reads_as(view.dtype, common_) && (!sums || stored_type() != common_);
    if (!converts && !sums) continue;
    Preparation& preparation =
        preparations_.emplace_back(Preparation{static_cast<int>(i), view, {}});
    if (converts) {
      std::vector<int> labels = view.labels;
      // Innermost axes first in memory stay innermost.
      std::stable_sort(labels.begin(), labels.end(), [&](int x, int y) {
        return std::abs(stride_of(view, x)) > std::abs(stride_of(view, y));
      });
      view = laid_out(common_, std::move(labels));
    }
    if (sums) {
      std::vector<int> kept = view.labels;
      std::erase_if(kept, is_lone);
      if (converts) preparation.converted = std::move(view);
      view = laid_out(stored_type(), std::move(kept));
    }
  }
}

Network Lowering::network() const {
  Network network;
  network.inputs.reserve(views_.size());
  for (const LabeledView& view : views_) network.inputs.push_back(view.labels);
  network.output = output_labels_;
  network.sizes = sizes_;
  // As 2 x 2 real matrices (emit_complex_pair).
  if (is_complex(common_)) network.spread = 2 * static_cast<std::int64_t>(size_of(common_));
  const auto bytes = [this](const LabeledView& view) {
    return elements_of(view) * static_cast<std::int64_t>(size_of(view.dtype));
  };
  if (!preparations_.empty()) network.prepared.resize(views_.size());
  for (const Preparation& preparation : preparations_) {
    const auto i = static_cast<std::size_t>(preparation.operand);
    const std::int64_t held = bytes(views_[i]);
    network.prepared[i] = {held,
                           held + (preparation.converted ? bytes(*preparation.converted) : 0)};
  }
  return network;
}

// `view` is the operand as the step will read it.
void Lowering::prepare_for_step(int operand, LabeledView& view) {
  const auto found = std::ranges::lower_bound(preparations_, operand, {}, &Preparation::operand);
  if (found == preparations_.end() || found->operand != operand) return;
  if (found->converted) {
    take(*found->converted);
    emit_unary(found->source, *found->converted);
  }
  take(view);
  emit_unary(found->converted ? *found->converted : found->source, view);
}

// The axes of an intermediate, outermost first. What the next step has as batch comes first; the
// side whose innermost axis is kept stays innermost; if the next step has nothing free in the
// partner (a matrix times a vector), its summed labels come innermost, or the batch label along
// which the partner is contiguous: vectors run along it in both.
std::vector<int> Lowering::result_labels(const LabeledView& left, const LabeledView& right,
                                         const std::vector<int>& kept, const LabeledView* partner,
                                         const std::vector<int>& kept_after) const {
  const auto side = [&](const LabeledView& view, bool all) {
    std::vector<int> labels;
    for (int label : view.labels)
      if (contains(kept, label) && (all || !contains(left.labels, label))) labels.push_back(label);
    std::stable_sort(labels.begin(), labels.end(), [&](int x, int y) {
      return std::abs(stride_of(view, x)) > std::abs(stride_of(view, y));
    });
    return labels;
  };
  std::vector<int> first = side(left, true), last = side(right, false);
  const bool left_inner = !first.empty() && is_innermost(left, first.back());
  const bool right_inner = !last.empty() && is_innermost(right, last.back());
  if (left_inner && !right_inner) std::swap(first, last);
  first.insert(first.end(), last.begin(), last.end());
  if (partner == nullptr) return first;

  bool partner_free = false;
  for (int label : partner->labels) partner_free |= !contains(first, label);
  // Nothing is summed and the partner has some of the axes: it spreads over them as they come.
  const auto stays = [&](int label) { return contains(kept_after, label); };
  if (!partner_free && partner->labels.size() < first.size() && std::ranges::all_of(first, stays))
    return first;

  const auto rank = [&](int label) {
    const bool after = contains(kept_after, label);
    if (after && contains(partner->labels, label))
      return !partner_free && is_innermost(*partner, label) ? 3 : 0;
    return partner_free || after ? 1 : 2;
  };
  std::stable_sort(first.begin(), first.end(), [&](int x, int y) { return rank(x) < rank(y); });
  return first;
}

void Lowering::contract(std::span<const PathStep> order, const LabeledView& output) {
  const std::size_t n = views_.size(), total = n + order.size();
  // Label sets of every result, and who takes it, before any is made.
  std::vector<LabeledView> views = std::move(views_);
  views.resize(total);
  std::vector<int> uses(sizes_.size(), 0), next(total, -1);
  for (std::size_t i = 0; i < n; ++i)
    for (int label : views[i].labels) ++uses[static_cast<std::size_t>(label)];
  for (int label : output.labels) ++uses[static_cast<std::size_t>(label)];
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto left = static_cast<std::size_t>(order[i].left),
               right = static_cast<std::size_t>(order[i].right);
    next[left] = next[right] = static_cast<int>(i);
    std::vector<int>& labels = views[n + i].labels;
    for (int label : views[left].labels)
      if (!contains(views[right].labels, label)) labels.push_back(label);
    for (int label : views[right].labels) {
      const bool shared = contains(views[left].labels, label);
      // Shared, and now only the result would have it: summed here.
      if (!shared || --uses[static_cast<std::size_t>(label)] > 1) labels.push_back(label);
    }
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    LabeledView& left = views[static_cast<std::size_t>(order[i].left)];
    LabeledView& right = views[static_cast<std::size_t>(order[i].right)];
    prepare_for_step(order[i].left, left);
    prepare_for_step(order[i].right, right);
    if (i + 1 == order.size()) {
      emit_pair(left, right, output);
      break;
    }
    const PathStep after = order[static_cast<std::size_t>(next[n + i])];
    const int partner = after.left == static_cast<int>(n + i) ? after.right : after.left;
    const std::vector<int> labels =
        result_labels(left, right, views[n + i].labels, &views[static_cast<std::size_t>(partner)],
                      views[n + static_cast<std::size_t>(next[n + i])].labels);
    // Appended last: the references above stay good, `views` does not grow.
    LabeledView result = laid_out(stored_type(), labels);
    take(result);
    emit_pair(left, right, result);
    views[n + i] = std::move(result);
  }
}

}  // namespace tenfold::einsum_detail
