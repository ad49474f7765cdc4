// The one-call functions, and the plans they keep: the newest by use, found by everything that a
// plan depends on.
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/immortal.hpp"
#include "tenfold/einsum.hpp"

namespace tenfold {
namespace {

// More plans than a program usually has of equations and layouts; each takes a few kilobytes.
constexpr std::size_t kPlans = 512;

class KeyWriter {
 public:
  explicit KeyWriter(std::string& key) : key_(key) { key_.clear(); }
  void add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    key_ += text;
  }
  void add(std::int64_t value) { key_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void add(std::span<const std::int64_t> values) {
    add(static_cast<std::int64_t>(values.size()));
    key_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  void add(const std::vector<int>& values) {
    add(static_cast<std::int64_t>(values.size()));
    key_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(int));
  }

 private:
  std::string& key_;
};

void write_key(std::string& key, const EinsumSpec& spec, std::span<const TensorView> operands,
               const Dims* output_strides) {
  KeyWriter w(key);
  w.add(spec.equation);
  w.add(static_cast<std::int64_t>(spec.dialect) << 32 | spec.version);
  w.add(spec.dtype ? static_cast<std::int64_t>(*spec.dtype) : -1);
  w.add(spec.method);
  w.add(spec.memory_limit);
  w.add(spec.flops_only ? 1 : 0);
  w.add(spec.label);
  w.add(spec.labels ? static_cast<std::int64_t>(spec.labels->size()) : -1);
  if (spec.labels)
    for (const std::vector<int>& labels : *spec.labels) w.add(labels);
  w.add(spec.output_labels ? 1 : 0);
  if (spec.output_labels) w.add(*spec.output_labels);
  w.add(spec.path ? static_cast<std::int64_t>(spec.path->size()) : -1);
  if (spec.path)
    for (const std::vector<int>& step : *spec.path) w.add(step);
  w.add(static_cast<std::int64_t>(operands.size()));
  for (const TensorView& operand : operands) {
    w.add(static_cast<std::int64_t>(operand.dtype));
    w.add(operand.shape);
    w.add(operand.strides);
  }
  w.add(output_strides ? 1 : 0);
  if (output_strides) w.add(*output_strides);
}

class PlanCache {
 public:
  std::shared_ptr<const EinsumPlan> find(std::string_view key) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->plan;
  }
  void add(const std::string& key, std::shared_ptr<const EinsumPlan> plan) {
    const std::lock_guard lock(mutex_);
    if (index_.contains(key)) return;  // another thread was quicker
    entries_.push_front({key, std::move(plan)});
    index_.emplace(entries_.front().key, entries_.begin());
    if (entries_.size() <= kPlans) return;
    index_.erase(entries_.back().key);
    entries_.pop_back();
  }
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const EinsumPlan> plan;
  };
  std::mutex mutex_;
  std::list<Entry> entries_;  // the latest used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> index_;
};

std::shared_ptr<const EinsumPlan> plan_of(const EinsumSpec& spec,
                                          std::span<const TensorView> operands,
                                          const Dims* output_strides) {
  PlanCache& cache = immortal<PlanCache>();
  thread_local std::string key;
  write_key(key, spec, operands, output_strides);
  if (auto plan = cache.find(key)) return plan;
  auto plan = output_strides != nullptr
                  ? std::make_shared<const EinsumPlan>(spec, operands, *output_strides)
                  : std::make_shared<const EinsumPlan>(spec, operands);
  cache.add(key, plan);
  return plan;
}

}  // namespace

std::shared_ptr<const EinsumPlan> einsum_plan(const EinsumSpec& spec,
                                              std::span<const TensorView> operands) {
  return plan_of(spec, operands, nullptr);
}

Tensor einsum(const EinsumSpec& spec, std::span<const TensorView> operands,
              const RunOptions& options) {
  const auto plan = plan_of(spec, operands, nullptr);
  Tensor result(plan->output_dtype(), plan->output_shape());
  plan->run(operands, result, options);
  return result;
}

Tensor einsum(std::string_view equation, std::initializer_list<TensorView> operands,
              const RunOptions& options) {
  EinsumSpec spec;
  spec.equation = equation;
  return einsum(spec, std::span(operands.begin(), operands.size()), options);
}

void einsum_into(const EinsumSpec& spec, std::span<const TensorView> operands,
                 const MutableTensorView& output, const RunOptions& options) {
  plan_of(spec, operands, &output.strides)->run(operands, output, options);
}

}  // namespace tenfold
