#include "einsum/plan.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/promote.hpp"
#include "einsum/lower.hpp"
#include "tenfold/error.hpp"

namespace tenfold {

using namespace einsum_detail;

namespace {

// The shapes of a few operands in place.
class Shapes {
 public:
  explicit Shapes(std::span<const TensorView> operands) {
    if (operands.size() > kFew) many_.resize(operands.size());
    Dims* shapes = many_.empty() ? few_.data() : many_.data();
    for (const TensorView& operand : operands) *shapes++ = operand.shape;
    all_ = {many_.empty() ? few_.data() : many_.data(), operands.size()};
  }
  Shapes(const Shapes&) = delete;
  Shapes& operator=(const Shapes&) = delete;
  std::span<const Dims> all() const { return all_; }

 private:
  static constexpr std::size_t kFew = 4;
  std::array<Dims, kFew> few_;
  std::vector<Dims> many_;
  std::span<const Dims> all_;
};

}  // namespace

void EinsumPlan::Impl::check_types(const EinsumSpec& spec, std::span<const TensorView> views) {
  if (spec.dialect != Dialect::kNumpy)
    check_operand_types(find_contraction(spec.dialect, "Einsum", spec.version), views);
  common = views[0].dtype;
  for (const TensorView& view : views) common = promote(common, view.dtype);
  if (!spec.dtype) return;
  if (!is_complex(*spec.dtype) && is_complex(common))
    throw Error(ErrorCode::kTypeNotAllowed, label, "dtype would drop imaginary parts",
                "a complex dtype", std::string(name_of(*spec.dtype)));
  common = *spec.dtype;
}

EinsumPlan::Impl::Impl(const EinsumSpec& spec, std::span<const TensorView> views,
                       const Dims* output_strides)
    : label(operator_name(spec)), method(spec.path ? "given" : spec.method) {
  if (views.empty())
    throw Error(ErrorCode::kBadArgument, label, "no operands", "at least one operand", "none");
  operands.reserve(views.size());
  for (const TensorView& view : views) {
    element_count(view.shape);
    check_strides(label, "operand", view.shape, view.strides, view.dtype);
    operands.push_back(
        {view.dtype, view.shape, view.strides, byte_range(view.dtype, view.shape, view.strides)});
  }
  check_types(spec, views);
  equation = parse_equation(spec, Shapes(views).all());
  lay_out_output(output_strides);
  if (work != Work::kSteps) return;
  make_steps(spec);
  place_temporaries();
  for (const Step& step : steps) {
    cost.flops += step.flops;
    cost.bytes += step.bytes;
  }
  if (spec.memory_limit > 0 && cost.peak_memory > spec.memory_limit)
    throw Error(ErrorCode::kOutOfMemory, label, "no order of contraction fits the memory limit",
                std::to_string(spec.memory_limit) + " bytes of intermediates",
                "at least " + std::to_string(cost.peak_memory));
}

void EinsumPlan::Impl::lay_out_output(const Dims* strides) {
  output.dtype = common;
  for (int l : equation.output) output.shape.push_back(equation.sizes[static_cast<std::size_t>(l)]);
  const std::int64_t count = element_count(output.shape);
  const Dims steps_out = strides ? *strides : contiguous_strides(output.shape);
  check_strides(label, "output", output.shape, steps_out, output.dtype);
  for (int axis = 0; axis < output.shape.size(); ++axis)
    if (count > 0 && output.shape[axis] > 1 && steps_out[axis] == 0)
      throw Error(ErrorCode::kOverlap, label, "output elements overlap each other",
                  "non-zero output strides", to_string(steps_out));
  output.strides = steps_out;
  output.range = byte_range(output.dtype, output.shape, steps_out);
  const bool empty_sum =
      std::find(equation.sizes.begin(), equation.sizes.end(), 0) != equation.sizes.end();
  if (count == 0)
    work = Work::kNothing;
  else if (empty_sum)
    work = Work::kZeros;
}

void EinsumPlan::Impl::make_steps(const EinsumSpec& spec) {
  const auto n = static_cast<int>(operands.size());
  Lowering lowering(equation, common, n);
  const LabeledView out =
      lowering.view_of(n, output.dtype, output.shape, output.strides, equation.output);
  std::vector<LabeledView> in;
  in.reserve(operands.size());
  for (int i = 0; i < n; ++i) {
    const Operand& o = operands[static_cast<std::size_t>(i)];
    in.push_back(lowering.view_of(i, o.dtype, o.shape, o.strides,
                                  equation.inputs[static_cast<std::size_t>(i)]));
  }
  if (n == 1) {
    lowering.lower_single(in[0], out);
  } else {
    lowering.prepare(std::move(in), out);
    const Network network = lowering.network();
    const auto element = static_cast<std::int64_t>(size_of(lowering.stored_type()));
    if (spec.path) {
      order.steps = steps_of(*spec.path, n);
      order.cost = cost_of(network, order.steps, element);
    } else {
      order = find_path(network, {.method = spec.method,
                                  .element_bytes = element,
                                  .memory_limit = spec.memory_limit,
                                  .flops_only = spec.flops_only});
    }
    lowering.contract(order.steps, out);
  }
  steps = std::move(lowering.steps);
  temporaries = std::move(lowering.temporaries);
}

// Small temporaries lie in one arena, first fit by the steps in which they live, so that a run
// takes its memory once. Large ones are taken and given back one by one: then never more is held
// than is alive.
void EinsumPlan::Impl::place_temporaries() {
  constexpr std::int64_t kArenaBytes = 1 << 20;
  if (temporaries.empty()) return;
  std::vector<std::int64_t> alive(steps.size() + 1, 0);
  for (const Temporary& t : temporaries) {
    const std::int64_t bytes = t.elements * static_cast<std::int64_t>(size_of(t.dtype));
    for (int step = t.first_step; step <= t.last_step; ++step)
      alive[static_cast<std::size_t>(step)] += bytes;
    cost.largest_intermediate = std::max(cost.largest_intermediate, t.elements);
  }
  cost.peak_memory = *std::max_element(alive.begin(), alive.end());
  if (cost.peak_memory > kArenaBytes) return;

  std::vector<const Temporary*> placed;
  for (Temporary& t : temporaries) {
    std::int64_t at = 0;
    for (const Temporary* other : placed) {  // ordered by offset
      const bool together = other->first_step <= t.last_step && t.first_step <= other->last_step;
      if (!together) continue;
      if (at + t.bytes <= other->offset) break;
      at = std::max(at, other->offset + other->bytes);
    }
    t.offset = at;
    arena_bytes = std::max(arena_bytes, at + t.bytes);
    placed.insert(std::upper_bound(
                      placed.begin(), placed.end(), &t,
                      [](const Temporary* x, const Temporary* y) { return x->offset < y->offset; }),
                  &t);
  }
}

EinsumPlan::EinsumPlan(const EinsumSpec& spec, std::span<const TensorView> operands)
    : impl_(std::make_unique<Impl>(spec, operands, nullptr)) {}
EinsumPlan::EinsumPlan(const EinsumSpec& spec, std::span<const TensorView> operands,
                       const Dims& output_strides)
    : impl_(std::make_unique<Impl>(spec, operands, &output_strides)) {}
EinsumPlan::EinsumPlan(EinsumPlan&&) noexcept = default;
EinsumPlan& EinsumPlan::operator=(EinsumPlan&&) noexcept = default;
EinsumPlan::~EinsumPlan() = default;

DType EinsumPlan::output_dtype() const { return impl_->output.dtype; }
const Dims& EinsumPlan::output_shape() const { return impl_->output.shape; }
const EinsumCost& EinsumPlan::cost() const { return impl_->cost; }
EinsumPath EinsumPlan::path() const {
  return path_of(impl_->order.steps, static_cast<int>(impl_->operands.size()));
}
std::string EinsumPlan::explain(ExplainFormat format) const { return impl_->explain(format); }
void EinsumPlan::run(std::span<const TensorView> operands, const MutableTensorView& output,
                     const RunOptions& options) const {
  impl_->run(operands, output, options);
}

}  // namespace tenfold
