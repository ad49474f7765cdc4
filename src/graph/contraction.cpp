#include "graph/contraction.hpp"

#include <algorithm>
#include <utility>

#include "einsum/equation.hpp"

namespace tenfold::graph {
namespace {

using einsum_detail::Equation;

bool flag(const Node& node, std::string_view name) {
  const auto* value = find_attribute<std::int64_t>(node, name);
  return value != nullptr && *value != 0;  // the document: "if non-zero"
}

float factor(const Node& node, std::string_view name) {
  const auto* value = find_attribute<float>(node, name);
  return value != nullptr ? *value : 1.0F;
}

std::vector<TensorView> views_of(HeldInputs inputs) {
  std::vector<TensorView> views;
  views.reserve(inputs.size());
  for (const Held* input : inputs)
    if (input != nullptr) views.push_back(input->view);
  return views;
}

std::vector<Dims> shapes_of(std::span<const TensorView> views) {
  std::vector<Dims> shapes;
  for (const TensorView& view : views) shapes.push_back(view.shape);
  return shapes;
}

std::string both_shapes(const Dims& a, const Dims& b) {
  return "A " + to_string(a) + ", B " + to_string(b);
}

// The labels of rows, columns and the axis summed over; batches follow, counted from the right.
enum Label { kRow, kColumn, kInner, kFirstBatch };

// The labels of one operand of matmul: its batches, then the matrix or the vector.
std::vector<int> operand_labels(int rank, int first, int second, bool transposed) {
  if (rank == 1) return {kInner};
  std::vector<int> labels;
  for (int axis = rank - 3; axis >= 0; --axis) labels.push_back(kFirstBatch + axis);
  if (transposed) std::swap(first, second);
  labels.insert(labels.end(), {first, second});
  return labels;
}

}  // namespace

Equation matmul_equation(const std::string& where, const Dims& a, bool transpose_a, const Dims& b,
                         bool transpose_b) {
  if (a.empty() || b.empty())
    throw Error(ErrorCode::kShapeMismatch, where, "an operand is a scalar", "rank 1 or more",
                both_shapes(a, b));
  Equation equation;
  equation.inputs = {operand_labels(a.size(), kRow, kInner, transpose_a),
                     operand_labels(b.size(), kInner, kColumn, transpose_b)};
  const int batches = std::max({a.size(), b.size(), 2}) - 2;
  equation.sizes.assign(static_cast<std::size_t>(kFirstBatch) + static_cast<std::size_t>(batches),
                        1);
  equation.names = {"i", "j", "k"};
  for (int i = 0; i < batches; ++i) {
    equation.names.emplace_back("b").append(std::to_string(i));
    equation.output.insert(equation.output.begin(), kFirstBatch + i);
  }
  if (a.size() > 1) equation.output.push_back(kRow);
  if (b.size() > 1) equation.output.push_back(kColumn);

  const auto bind = [&](const std::vector<int>& labels, const Dims& shape) {
    for (int axis = 0; axis < shape.size(); ++axis) {
      const int label = labels[static_cast<std::size_t>(axis)];
      std::int64_t& size = equation.sizes[static_cast<std::size_t>(label)];
      if (label < kFirstBatch || size == 1) {
        size = shape[axis];
      } else if (shape[axis] != 1 && shape[axis] != size) {
        throw Error(ErrorCode::kShapeMismatch, where, "the batches cannot be broadcast together",
                    "equal extents or 1, aligned at the matrices", both_shapes(a, b));
      }
    }
  };
  bind(equation.inputs[0], a);
  const std::int64_t inner = equation.sizes[kInner];
  bind(equation.inputs[1], b);
  if (equation.sizes[kInner] != inner)
    throw Error(ErrorCode::kShapeMismatch, where, "the matrices do not fit together",
                "as many rows of B as A has columns, " + std::to_string(inner),
                std::to_string(equation.sizes[kInner]) + " in " + both_shapes(a, b) +
                    (transpose_a ? ", A transposed" : "") + (transpose_b ? ", B transposed" : ""));
  return equation;
}

Contraction::Contraction(const Node& node, const ContractionRow& row)
    : row_(row),
      operand_count_(row.form == ContractionForm::kEquation ? static_cast<int>(node.inputs.size())
                                                            : 2) {
  if (const auto* equation = find_attribute<std::string>(node, "equation")) equation_ = *equation;
  const bool gemm = row.form == ContractionForm::kAffine;
  transpose_a_ = flag(node, gemm ? "transA" : "transpose_a");
  transpose_b_ = flag(node, gemm ? "transB" : "transpose_b");
  if (!gemm) return;
  affine_.alpha = factor(node, "alpha");
  affine_.beta = factor(node, "beta");
  affine_.has_c = node.inputs.size() > 2 && node.inputs[2] != kAbsent;
  affine_.stretches_c = row.addend != AddendForm::kFlagged || flag(node, "broadcast");
}

std::string Contraction::label() const {
  return std::string(row_.name) + "-" + std::to_string(row_.since_version);
}

// The spec in which the node's plan is made: Einsum's own text, or the labels of the matrices.
EinsumSpec Contraction::spec_of(HeldInputs inputs) const {
  EinsumSpec spec;
  spec.label = label();
  const std::vector<TensorView> operands =
      views_of(inputs.first(static_cast<std::size_t>(operand_count_)));
  check_operand_types(row_, operands);
  if (row_.form == ContractionForm::kEquation) {
    spec.equation = equation_;
    spec.dialect = row_.dialect;
    spec.version = row_.since_version;
    return spec;
  }
  const Dims& a = operands[0].shape;
  const Dims& b = operands[1].shape;
  if (row_.form == ContractionForm::kAffine && (a.size() != 2 || b.size() != 2))
    throw Error(ErrorCode::kShapeMismatch, spec.label, "A and B must be matrices", "rank 2",
                both_shapes(a, b));
  Equation equation = matmul_equation(spec.label, a, transpose_a_, b, transpose_b_);
  if (affine_.has_c) {
    const Dims product{equation.sizes[kRow], equation.sizes[kColumn]};
    affine_.check_c(spec.label, inputs[2]->view, operands[0].dtype, product);
  }
  spec.labels = std::move(equation.inputs);
  spec.output_labels = std::move(equation.output);
  spec.dtype = affine_.product_type(operands[0].dtype);
  return spec;
}

std::shared_ptr<const EinsumPlan> Contraction::plan_for(HeldInputs inputs) const {
  // C is in the key too: its type and shape are checked when the plan is made.
  const std::vector<TensorView> views = views_of(inputs);
  return plans_.get({}, views, [&] {
    return EinsumPlan(spec_of(inputs),
                      std::span(views).first(static_cast<std::size_t>(operand_count_)));
  });
}

Held Contraction::run(HeldInputs inputs, const RunOptions& options, std::string* detail) const {
  const std::shared_ptr<const EinsumPlan> plan = plan_for(inputs);
  Held sum = Held::of(Tensor(plan->output_dtype(), plan->output_shape()));
  plan->run(views_of(inputs.first(static_cast<std::size_t>(operand_count_))), sum.owner->view(),
            options);
  if (detail != nullptr) *detail = first_line(plan->explain());
  return finish(std::move(sum), inputs[0]->view.dtype, inputs, options);
}

std::string Contraction::describe() const {
  const std::shared_ptr<const EinsumPlan> plan = plans_.newest();
  return plan ? first_line(plan->explain()) : std::string();
}

Contracted Contraction::contracted(HeldInputs inputs) const {
  const EinsumSpec spec = spec_of(inputs);
  const std::vector<TensorView> operands =
      views_of(inputs.first(static_cast<std::size_t>(operand_count_)));
  Contracted node;
  node.equation = einsum_detail::parse_equation(spec, shapes_of(operands));
  node.sum = spec.dtype.value_or(operands[0].dtype);
  for (int label : node.equation.output)
    node.shape.push_back(node.equation.sizes[static_cast<std::size_t>(label)]);
  return node;
}

Effort Contraction::effort(HeldInputs inputs) const {
  const std::shared_ptr<const EinsumPlan> plan = plan_for(inputs);  // the cache may drop it
  return {plan->cost().flops, plan->cost().bytes};
}

Held Contraction::finish(Held sum, DType dtype, HeldInputs inputs,
                         const RunOptions& options) const {
  return affine_.apply(std::move(sum), affine_.has_c ? &inputs[2]->view : nullptr, dtype, options);
}

}  // namespace tenfold::graph
