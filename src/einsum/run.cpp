// Executes a plan: checks the call, finds memory for the temporaries, runs the steps in order.
#include <cstring>
#include <vector>

#include "einsum/lower.hpp"
#include "einsum/memory.hpp"
#include "einsum/plan.hpp"
#include "tenfold/error.hpp"

namespace tenfold {

using namespace einsum_detail;

namespace {

constexpr Constants kConstants;

const void* constant_base(DType dtype) {
  return dtype == DType::kF64 ? static_cast<const void*>(kConstants.f64)
                              : static_cast<const void*>(kConstants.f32);
}

// The small temporaries of the run on this thread; a nested run (a host's executor may start one
// while it waits) takes memory of its own.
class Arena {
 public:
  explicit Arena(std::int64_t bytes) {
    if (bytes == 0) return;
    Kept& kept = kept_here();
    if (kept.taken) {
      own_ = Loan(bytes);
      data_ = own_.data();
      return;
    }
    if (kept.bytes < bytes) {
      kept.memory.reset();
      kept.bytes = 0;
      kept.memory = Loan(bytes);
      kept.bytes = bytes;
    }
    kept.taken = true;
    taken_ = true;
    data_ = kept.memory.data();
  }
  ~Arena() {
    if (taken_) kept_here().taken = false;
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  std::byte* data() const { return data_; }

 private:
  struct Kept {
    Loan memory;
    std::int64_t bytes = 0;
    bool taken = false;
  };
  static Kept& kept_here() {
    thread_local Kept kept;
    return kept;
  }
  Loan own_;
  std::byte* data_ = nullptr;
  bool taken_ = false;
};

}  // namespace

void EinsumPlan::Impl::check_call(std::span<const TensorView> views,
                                  const MutableTensorView& out) const {
  if (views.size() != operands.size())
    throw Error(ErrorCode::kBadArgument, label, "number of operands is not the planned one",
                std::to_string(operands.size()), std::to_string(views.size()));
  if (!is_planned(out, output.dtype, output.shape, output.strides))
    refuse_unplanned(label, "output", output.dtype, output.shape, output.strides, out);
  if (out.data == nullptr && work != Work::kNothing)
    throw Error(ErrorCode::kNullData, label, "output has no data", "a pointer to elements", "null");
  for (std::size_t i = 0; i < views.size(); ++i) {
    const Operand& planned = operands[i];
    const TensorView& view = views[i];
    const auto name = [&] { return "operand " + std::to_string(i); };
    if (!is_planned(view, planned.dtype, planned.shape, planned.strides))
      refuse_unplanned(label, name(), planned.dtype, planned.shape, planned.strides, view);
    if (work != Work::kSteps) continue;
    if (view.data == nullptr)
      throw Error(ErrorCode::kNullData, label, name() + " has no data", "a pointer to elements",
                  "null");
    if (ranges_meet(view.data, planned.range, out.data, output.range))
      throw Error(ErrorCode::kOverlap, label, "output overlaps operand " + std::to_string(i),
                  "separate memory");
  }
}

void EinsumPlan::Impl::run(std::span<const TensorView> views, const MutableTensorView& out,
                           const RunOptions& options) const {
  check_call(views, out);
  switch (work) {
    case Work::kNothing:
      return;
    case Work::kZeros: {
      constexpr std::byte kZero[16] = {};  // every type's zero
      return fill_elements(out.mutable_data(), output.dtype, output.shape, output.strides, kZero);
    }
    case Work::kSteps:
      return run_steps(views, static_cast<std::byte*>(out.mutable_data()), options);
  }
}

void EinsumPlan::Impl::run_steps(std::span<const TensorView> views, std::byte* out,
                                 const RunOptions& options) const {
  const Arena arena(arena_bytes);
  std::vector<Loan> separate(arena_bytes == 0 ? temporaries.size() : 0);
  const auto n = static_cast<int>(operands.size());
  const auto slot = [&](int i, DType type) -> const std::byte* {
    if (i < 0) return nullptr;
    if (i < n) return static_cast<const std::byte*>(views[static_cast<std::size_t>(i)].data);
    if (i == n) return out;
    if (i == n + 1) return static_cast<const std::byte*>(constant_base(type));
    const auto t = static_cast<std::size_t>(i - n - 2);
    return arena_bytes > 0 ? arena.data() + temporaries[t].offset : separate[t].data();
  };
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const Step& step = steps[s];
    const auto at = static_cast<int>(s);
    for (std::size_t t = 0; t < separate.size(); ++t)
      if (temporaries[t].first_step == at) separate[t] = Loan(temporaries[t].bytes);
    auto* c = const_cast<std::byte*>(slot(step.c, step.pair.c_type)) + step.c_offset;
    if (step.kernel) {
      const std::byte* a = slot(step.a, step.pair.a_type) + step.a_offset;
      const std::byte* b = step.b < 0 ? nullptr : slot(step.b, step.pair.b_type) + step.b_offset;
      step.kernel->run(a, b, c, options);
    } else {
      TensorView in = step.reduce_input;
      MutableTensorView result = step.reduce_output;
      in.data = slot(step.a, in.dtype) + step.a_offset;
      result.data = c;
      step.reduction->run(in, result, options);
    }
    for (std::size_t t = 0; t < separate.size(); ++t)
      if (temporaries[t].last_step == at) separate[t].reset();
  }
}

}  // namespace tenfold
