#include "einsum/lower.hpp"

#include <algorithm>
#include <utility>

#include "tenfold/error.hpp"

namespace tenfold::einsum_detail {
namespace {

bool contains(const std::vector<int>& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// Stride of a label in a view, 0 where it is not there.
std::int64_t stride_of(const LabeledView& view, int label) {
  for (std::size_t i = 0; i < view.labels.size(); ++i)
    if (view.labels[i] == label) return view.strides[i];
  return 0;
}

// No other axis steps nearer, as strides of 1 are where there are no gaps. False if the view is not
// made yet.
bool is_innermost(const LabeledView& view, int label) {
  if (view.strides.empty()) return false;
  const std::int64_t step = std::abs(stride_of(view, label));
  return step != 0 && std::none_of(view.strides.begin(), view.strides.end(),
                                   [&](std::int64_t s) { return s != 0 && std::abs(s) < step; });
}

// Kernels see unsigned integers of 32 and 64 bits as signed ones: products and sums have equal
// bits.
DType kernel_type(DType d) {
  if (d == DType::kU32) return DType::kI32;
  return d == DType::kU64 ? DType::kI64 : d;
}

// May a kernel that computes in `to`'s accumulator read `from` as it lies, with the same result as
// a conversion to `to` first? (f32 to f16 would have to round first.)
bool reads_as(DType from, DType to) {
  if (from == to) return true;
  if (is_complex(from) || is_complex(to)) return false;
  if (acc_type(from) != acc_type(to)) return false;
  if (from == DType::kBool) return true;
  if (to == DType::kBool) return false;
  return !is_float(from) || to == DType::kF32;
}

DType real_part(DType d) { return d == DType::kC64 ? DType::kF32 : DType::kF64; }

}  // namespace

Lowering::Lowering(const Equation& equation, DType common, int operands)
    : sizes_(equation.sizes),
      names_(equation.names),
      common_(common),
      operand_count_(operands),
      constant_slot_(operands + 1) {}

DType Lowering::stored_type() const {
  if (is_complex(common_) || common_ == DType::kBool) return common_;
  return acc_type(common_);
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

void Lowering::add_step(Step step) {
  const int at = static_cast<int>(steps.size());
  for (int slot : {step.a, step.b, step.c})
    if (slot > constant_slot_)
      temporaries[static_cast<std::size_t>(slot - constant_slot_ - 1)].last_step = at;
  steps.push_back(std::move(step));
}

// --- steps over one operand

void Lowering::lower_single(const LabeledView& operand, const LabeledView& output) {
  emit_unary(operand, output);
}

void Lowering::emit_unary(const LabeledView& in, const LabeledView& out) {
  if (!is_complex(out.dtype)) return emit_real_unary(in, out);
  // A complex view is a real one with an innermost axis of two.
  const DType part = real_part(out.dtype);
  const int reim = add_label("ᵣ", 2);
  const auto real_view = [&](const LabeledView& view) {
    LabeledView real = view;
    real.dtype = real_part(view.dtype);
    real.offset *= 2;
    for (std::int64_t& stride : real.strides) stride *= 2;
    real.labels.push_back(reim);
    real.strides.push_back(1);
    return real;
  };
  LabeledView target = real_view(out);
  if (is_complex(in.dtype)) return emit_real_unary(real_view(in), target);
  // A real operand: its values, and zeros beside them.
  target.labels.pop_back();
  target.strides.pop_back();
  emit_real_unary(in, target);
  LabeledView zero;
  zero.slot = constant_slot_;
  zero.dtype = part;
  zero.offset = static_cast<std::int64_t>(Constant::kZero);
  target.offset += 1;
  zero.labels = target.labels;
  zero.strides.assign(target.labels.size(), 0);
  emit_real_unary(zero, target);
}

void Lowering::emit_real_unary(const LabeledView& in, const LabeledView& out) {
  Step step;
  step.a = in.slot;
  step.c = out.slot;
  step.equation = names(in.labels) + "->" + names(out.labels);
  double read = 1, written = 1;
  for (int label : in.labels) read *= static_cast<double>(size_of_label(label));
  for (int label : out.labels) written *= static_cast<double>(size_of_label(label));
  step.bytes = read * static_cast<double>(size_of(in.dtype)) +
               written * static_cast<double>(size_of(out.dtype));
  step.a_offset = in.offset * static_cast<std::int64_t>(size_of(in.dtype));
  step.c_offset = out.offset * static_cast<std::int64_t>(size_of(out.dtype));
  const bool sums = in.labels.size() > out.labels.size();
  if (!sums && reads_as(in.dtype, out.dtype)) {
    step.pair.has_b = false;
    step.pair.a_type = step.pair.b_type = kernel_type(in.dtype);
    step.pair.c_type = kernel_type(out.dtype);
    for (std::size_t i = 0; i < out.labels.size(); ++i)
      step.pair.m.push_back(
          {size_of_label(out.labels[i]), stride_of(in, out.labels[i]), 0, out.strides[i]});
    fold_pair(step.pair);
    step.kind = &choose_kind(step.pair);
    step.kernel = step.kind->make(step.pair);
    return add_step(std::move(step));
  }
  // The reductions' engine: the kept axes in the output's order, then the summed ones.
  Dims shape, strides, axes, out_shape, out_strides;
  for (std::size_t i = 0; i < out.labels.size(); ++i) {
    shape.push_back(size_of_label(out.labels[i]));
    strides.push_back(stride_of(in, out.labels[i]));
    out_shape.push_back(shape.back());
    out_strides.push_back(out.strides[i]);
  }
  for (std::size_t i = 0; i < in.labels.size(); ++i)
    if (!contains(out.labels, in.labels[i])) {
      axes.push_back(shape.size());
      shape.push_back(size_of_label(in.labels[i]));
      strides.push_back(in.strides[i]);
    }
  step.flops = sums ? read : 0;
  step.reduce_input = TensorView(nullptr, in.dtype, shape, strides);
  step.reduce_output = MutableTensorView(nullptr, out.dtype, out_shape, out_strides);
  ReduceSpec spec;
  spec.op = out.dtype == DType::kBool ? ReduceOp::kAny : ReduceOp::kSum;
  spec.axes = axes;
  if (in.dtype != out.dtype) spec.dtype = out.dtype;
  spec.label = "einsum";
  step.reduction = std::make_unique<ReducePlan>(spec, step.reduce_input, out_strides);
  step.what = sums ? "sum" : "convert";
  add_step(std::move(step));
}

// --- steps over two operands

namespace {

// An axis that runs backwards in the output runs forwards instead, from its other end.
void run_forwards(PairAxes& axes, Step& step, const Pair& pair) {
  for (PairAxis& axis : axes) {
    if (axis.c >= 0) continue;
    const std::int64_t last = axis.size - 1;
    step.a_offset += last * axis.a * static_cast<std::int64_t>(size_of(pair.a_type));
    step.b_offset += last * axis.b * static_cast<std::int64_t>(size_of(pair.b_type));
    step.c_offset += last * axis.c * static_cast<std::int64_t>(size_of(pair.c_type));
    axis.a = -axis.a;
    axis.b = -axis.b;
    axis.c = -axis.c;
  }
}

}  // namespace

void Lowering::emit_pair(const LabeledView& left, const LabeledView& right,
                         const LabeledView& out) {
  if (is_complex(out.dtype)) return emit_complex_pair(left, right, out);
  emit_real_pair(left, right, out);
}

void Lowering::emit_real_pair(const LabeledView& left, const LabeledView& right,
                              const LabeledView& out) {
  Step step;
  step.a = left.slot;
  step.b = right.slot;
  step.c = out.slot;
  step.equation = names(left.labels) + "," + names(right.labels) + "->" + names(out.labels);
  Pair& pair = step.pair;
  pair.a_type = kernel_type(left.dtype);
  pair.b_type = kernel_type(right.dtype);
  pair.c_type = kernel_type(out.dtype);
  double a_count = 1, b_count = 1, c_count = 1;
  for (std::size_t i = 0; i < left.labels.size(); ++i) {
    const int label = left.labels[i];
    const bool in_right = contains(right.labels, label), in_out = contains(out.labels, label);
    const PairAxis axis{size_of_label(label), left.strides[i], stride_of(right, label),
                        stride_of(out, label)};
    (in_out ? (in_right ? pair.batch : pair.m) : pair.k).push_back(axis);
    a_count *= static_cast<double>(axis.size);
  }
  for (std::size_t i = 0; i < right.labels.size(); ++i) {
    const int label = right.labels[i];
    b_count *= static_cast<double>(size_of_label(label));
    if (contains(left.labels, label)) continue;
    const bool in_out = contains(out.labels, label);
    (in_out ? pair.n : pair.k)
        .push_back({size_of_label(label), 0, right.strides[i], stride_of(out, label)});
  }
  for (int label : out.labels) c_count *= static_cast<double>(size_of_label(label));
  step.flops = pair_terms(pair) * (pair.k.empty() ? 1 : 2);
  step.bytes = a_count * static_cast<double>(size_of(left.dtype)) +
               b_count * static_cast<double>(size_of(right.dtype)) +
               c_count * static_cast<double>(size_of(out.dtype));
  step.a_offset = left.offset * static_cast<std::int64_t>(size_of(left.dtype));
  step.b_offset = right.offset * static_cast<std::int64_t>(size_of(right.dtype));
  step.c_offset = out.offset * static_cast<std::int64_t>(size_of(out.dtype));
  for (PairAxes* axes : {&pair.batch, &pair.m, &pair.n}) run_forwards(*axes, step, pair);
  fold_pair(pair);
  step.kind = &choose_kind(pair);
  step.kernel = step.kind->make(pair);
  add_step(std::move(step));
}

// A complex product is a real one: the left operand's real and imaginary part are two positions of
// one more summed axis z, and the right operand is written out as the 2 x 2 matrices (re, im; -im,
// re), with rows z and columns w; w is the real and imaginary part of the output. The right one is
// the smaller; of two that are equal, one with the output's last label. (The order of two additions
// hangs on that, so the output's strides must not.)
void Lowering::emit_complex_pair(const LabeledView& one, const LabeledView& other,
                                 const LabeledView& out) {
  const auto elements = [this](const LabeledView& view) {
    std::int64_t product = 1;
    for (int label : view.labels) product *= size_of_label(label);
    return product;
  };
  const std::int64_t one_elements = elements(one), other_elements = elements(other);
  const bool has_last = out.labels.empty() || contains(other.labels, out.labels.back());
  const bool swap = one_elements < other_elements || (one_elements == other_elements && !has_last);
  const LabeledView &left = swap ? other : one, &right = swap ? one : other;
  const DType part = real_part(out.dtype);
  const int z = add_label("ᶻ", 2), w = add_label("ʷ", 2);
  const auto parts = [&](const LabeledView& view, int label) {
    LabeledView real = view;
    real.dtype = part;
    real.offset *= 2;
    for (std::int64_t& stride : real.strides) stride *= 2;
    if (label >= 0) {
      real.labels.push_back(label);
      real.strides.push_back(1);
    }
    return real;
  };
  // Memory order: batch, summed, z, free, w, so that (summed, z) is one axis beside the left
  // operand's.
  std::vector<int> batch, sum, free;
  for (int label : right.labels) {
    const bool in_left = contains(left.labels, label), in_out = contains(out.labels, label);
    (in_out ? (in_left ? batch : free) : sum).push_back(label);
  }
  std::stable_sort(sum.begin(), sum.end(), [&](int x, int y) {
    return std::abs(stride_of(left, x)) > std::abs(stride_of(left, y));
  });
  std::vector<int> labels = batch;
  labels.insert(labels.end(), sum.begin(), sum.end());
  labels.push_back(z);
  labels.insert(labels.end(), free.begin(), free.end());
  labels.push_back(w);
  LabeledView wide = laid_out(part, labels);
  take(wide);

  const auto at = [&](int row, int column) {  // one entry of the matrices; column -1: both
    LabeledView entry = wide;
    const auto drop = [&](int label, int position) {
      const auto i =
          std::find(entry.labels.begin(), entry.labels.end(), label) - entry.labels.begin();
      entry.offset += position * entry.strides[static_cast<std::size_t>(i)];
      entry.labels.erase(entry.labels.begin() + i);
      entry.strides.erase(entry.strides.begin() + i);
    };
    drop(z, row);
    if (column >= 0) drop(w, column);
    return entry;
  };
  LabeledView imaginary = parts(right, -1);
  imaginary.offset += 1;
  LabeledView minus_one;
  minus_one.slot = constant_slot_;
  minus_one.dtype = part;
  minus_one.offset = static_cast<std::int64_t>(Constant::kMinusOne);
  emit_real_unary(parts(right, w), at(0, -1));
  emit_real_unary(parts(right, -1), at(1, 1));
  emit_real_pair(imaginary, minus_one, at(1, 0));
  emit_real_pair(parts(left, z), wide, parts(out, w));
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
