#include "graph/reduction.hpp"

#include <utility>

namespace tenfold::graph {
namespace {

constexpr std::size_t kPlansKept = 8;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

bool same_layout(const TensorView& a, const TensorView& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.strides == b.strides;
}

bool same_spec(const ReduceSpec& a, const ReduceSpec& b) {
  return a.op == b.op && a.axes == b.axes && a.keepdims == b.keepdims &&
         a.select_last_index == b.select_last_index && a.dtype == b.dtype &&
         a.empty_is_error == b.empty_is_error;
}

std::optional<std::int64_t> integer(const Node& node, std::string_view name) {
  const auto* value = find_attribute<std::int64_t>(node, name);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

}  // namespace

std::shared_ptr<const ReducePlan> PlanCache::get(const ReduceSpec& spec, const TensorView& data) {
  {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_)
      if (same_layout(entry.layout, data) && same_spec(entry.spec, spec)) return entry.plan;
  }
  auto plan = std::make_shared<const ReducePlan>(spec, data);  // outside the lock: it may take long
  TensorView layout = data;
  layout.data = nullptr;
  const std::lock_guard lock(mutex_);
  if (entries_.size() == kPlansKept) entries_.erase(entries_.begin());
  entries_.push_back({spec, layout, plan});
  return plan;
}

std::shared_ptr<const ReducePlan> PlanCache::newest() const {
  const std::lock_guard lock(mutex_);
  return entries_.empty() ? nullptr : entries_.back().plan;
}

Reduction::Reduction(const Node& node, const OperatorRow& row) : row_(row) {
  if (const auto* axes = find_attribute<std::vector<std::int64_t>>(node, "axes"))
    call_.axes_attribute = *axes;
  if (const auto axis = integer(node, "axis")) call_.axes_attribute = std::vector{*axis};
  call_.keepdims = integer(node, node.dialect == Dialect::kOpenVino ? "keep_dims" : "keepdims");
  call_.noop_with_empty_axes = integer(node, "noop_with_empty_axes");
  call_.select_last_index = integer(node, "select_last_index");
}

Held Reduction::run(HeldInputs inputs, const RunOptions& options, std::string* detail) const {
  const TensorView& data = inputs[0]->view;
  ReduceCall call = call_;
  if (inputs.size() > 1 && inputs[1] != nullptr) call.axes_input = inputs[1]->view;
  const ReduceSpec spec = resolve(row_, call, data);
  const std::shared_ptr<const ReducePlan> plan = plans_.get(spec, data);
  Held out = Held::of(Tensor(plan->output_dtype(), plan->output_shape()));
  plan->run(data, out.owner->view(), options);
  if (detail != nullptr) *detail = first_line(plan->explain());
  return out;
}

std::string Reduction::label() const {
  return std::string(row_.name) + "-" + std::to_string(row_.since_version);
}

std::string Reduction::describe() const {
  const std::shared_ptr<const ReducePlan> plan = plans_.newest();
  return plan ? first_line(plan->explain()) : std::string();
}

}  // namespace tenfold::graph
