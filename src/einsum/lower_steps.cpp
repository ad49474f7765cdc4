// Single steps: the pair or the reduction that computes them, and its kernel.
#include <algorithm>
#include <utility>

#include "einsum/lower.hpp"

namespace tenfold::einsum_detail {
namespace {

// Kernels see unsigned integers of 32 and 64 bits as signed ones: products and sums have equal
// bits.
DType kernel_type(DType d) {
  if (d == DType::kU32) return DType::kI32;
  return d == DType::kU64 ? DType::kI64 : d;
}

DType real_part(DType d) { return d == DType::kC64 ? DType::kF32 : DType::kF64; }

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

bool reads_as(DType from, DType to) {
  if (from == to) return true;
  if (is_complex(from) || is_complex(to)) return false;
  if (acc_type(from) != acc_type(to)) return false;
  if (from == DType::kBool) return true;
  if (to == DType::kBool) return false;
  return !is_float(from) || to == DType::kF32;
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

void Lowering::emit_pair(const LabeledView& left, const LabeledView& right,
                         const LabeledView& out) {
  const auto is_summed = [&](int label) { return !contains(out.labels, label); };
  const bool sums =
      std::ranges::any_of(left.labels, is_summed) || std::ranges::any_of(right.labels, is_summed);
  if (is_complex(out.dtype) && sums) return emit_complex_pair(left, right, out);
  emit_direct_pair(left, right, out);
}

void Lowering::emit_direct_pair(const LabeledView& left, const LabeledView& right,
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

// A sum of complex products is one of real products: the left operand's real and imaginary part are
// two positions of one more summed axis z, and the right operand is written out as the 2 x 2
// matrices (re, im; -im, re), with rows z and columns w; w is the real and imaginary part of the
// output. The right one is the smaller; of two that are equal, one with the output's last label.
// (The order of two additions hangs on that, so the output's strides must not.)
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
  emit_direct_pair(imaginary, minus_one, at(1, 0));
  emit_direct_pair(parts(left, z), wide, parts(out, w));
}

}  // namespace tenfold::einsum_detail
