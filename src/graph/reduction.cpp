#include "graph/reduction.hpp"

#include <algorithm>
#include <utility>

namespace tenfold::graph {
namespace {

std::optional<std::int64_t> integer(const Node& node, std::string_view name) {
  const auto* value = find_attribute<std::int64_t>(node, name);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

double bytes_of(DType dtype, const Dims& shape) {
  return static_cast<double>(element_count(shape)) * static_cast<double>(size_of(dtype));
}

}  // namespace

Reduction::Reduction(const Node& node, const OperatorRow& row) : row_(row) {
  if (const auto* axes = find_attribute<std::vector<std::int64_t>>(node, "axes"))
    call_.axes_attribute = *axes;
  if (const auto axis = integer(node, "axis")) call_.axes_attribute = std::vector{*axis};
  call_.keepdims = integer(node, node.dialect == Dialect::kOpenVino ? "keep_dims" : "keepdims");
  call_.noop_with_empty_axes = integer(node, "noop_with_empty_axes");
  call_.select_last_index = integer(node, "select_last_index");
}

ReduceSpec Reduction::spec_of(HeldInputs inputs) const {
  ReduceCall call = call_;
  if (inputs.size() > 1 && inputs[1] != nullptr) call.axes_input = inputs[1]->view;
  return resolve(row_, call, inputs[0]->view);
}

Held Reduction::run(HeldInputs inputs, const RunOptions& options, std::string* detail) const {
  const TensorView& data = inputs[0]->view;
  const ReduceSpec spec = spec_of(inputs);
  const auto plan = plans_.get(spec, {&data, 1}, [&] { return ReducePlan(spec, data); });
  Held out = Held::of(Tensor(plan->output_dtype(), plan->output_shape()));
  plan->run(data, out.owner->view(), options);
  if (detail != nullptr) *detail = first_line(plan->explain());
  return out;
}

std::string Reduction::label() const {
  return std::string(row_.name) + "-" + std::to_string(row_.since_version);
}

std::string Reduction::describe() const {
  const auto plan = plans_.newest();
  return plan ? first_line(plan->explain()) : std::string();
}

// One label for each axis of the data; the result has those that are not reduced.
Contracted Reduction::contracted(HeldInputs inputs) const {
  const TensorView& data = inputs[0]->view;
  const ReduceSpec spec = spec_of(inputs);
  Contracted sum;
  sum.sum = data.dtype;
  sum.equation.inputs.emplace_back();
  for (int axis = 0; axis < data.rank(); ++axis) {
    sum.equation.inputs[0].push_back(axis);
    sum.equation.sizes.push_back(data.shape[axis]);
    const bool reduced =
        !spec.axes || std::any_of(spec.axes->begin(), spec.axes->end(), [&](std::int64_t a) {
          return a == axis || a + data.rank() == axis;
        });
    if (!reduced) {
      sum.equation.output.push_back(axis);
      sum.shape.push_back(data.shape[axis]);
    } else if (spec.keepdims) {
      sum.shape.push_back(1);
    }
  }
  return sum;
}

Effort Reduction::effort(HeldInputs inputs) const {
  const TensorView& data = inputs[0]->view;
  return {static_cast<double>(element_count(data.shape)),
          bytes_of(data.dtype, data.shape) + bytes_of(data.dtype, contracted(inputs).shape)};
}

std::vector<std::int64_t> Reduction::parameters(HeldInputs inputs) const {
  std::vector<std::int64_t> axes;
  if (inputs.size() < 2 || inputs[1] == nullptr) return axes;
  const TensorView& view = inputs[1]->view;
  // `contracted` refuses every other form, and more axes than a tensor can have.
  if (!is_integer(view.dtype) || view.rank() > 1 || view.data == nullptr) return axes;
  const std::int64_t step = view.rank() == 0 ? 0 : view.strides[0];
  visit_real_dtype(view.dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>)
      for (std::int64_t i = 0; i < std::min<std::int64_t>(element_count(view.shape), kMaxRank + 1);
           ++i)
        axes.push_back(static_cast<std::int64_t>(static_cast<const T*>(view.data)[i * step]));
  });
  return axes;
}

}  // namespace tenfold::graph
