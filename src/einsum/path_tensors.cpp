#include "einsum/path_tensors.hpp"

#include <algorithm>
#include <limits>

namespace tenfold::einsum_detail {

Tensors::Tensors(const Network& network, Options options)
    : extents_(network.sizes.size()),
      in_output_(network.sizes.size()),
      last_left_(network.sizes.size(), -1),
      first_holder_(network.sizes.size()),
      holder_count_(network.sizes.size()) {
  const int operands = static_cast<int>(network.inputs.size());
  for (std::size_t label = 0; label < extents_.size(); ++label)
    extents_[label] = std::max(static_cast<double>(network.sizes[label]), options.least_extent);
  for (int label : network.output) in_output_[at(label)] = 1;
  for (const std::vector<int>& input : network.inputs)
    for (int label : input) ++holder_count_[at(label)];

  // From counts to places; a label without a place is left out. The holders of a label never
  // become more, so the places suffice.
  int places = 0;
  for (std::size_t label = 0; label < extents_.size(); ++label) {
    const int holders = holder_count_[label];
    const bool lone = holders == 1 && in_output_[label] == 0;
    const bool common = options.drop_common && holders == operands;
    const bool kept = extents_[label] != 1 && !lone && !common;
    first_holder_[label] = kept ? places : -1;
    places += kept ? holders : 0;
    holder_count_[label] = 0;
  }
  holders_.resize(at(places));
  labels_.reserve(at(places) * 2);
  first_label_.reserve(at(2 * operands));
  sizes_.reserve(at(2 * operands));
  first_label_.push_back(0);
  for (int i = 0; i < operands; ++i) {
    Wide size(1);
    for (int label : network.inputs[at(i)])
      if (first_holder_[at(label)] >= 0) size = size * add_label(label, i);
    end_tensor(size);
  }
}

Wide Tensors::add_label(int label, int tensor) {
  labels_.push_back(label);
  holders_[at(first_holder_[at(label)] + holder_count_[at(label)]++)] = tensor;
  return Wide(extent(label));
}

void Tensors::end_tensor(const Wide& size) {
  sizes_.push_back(size);
  first_label_.push_back(static_cast<int>(labels_.size()));
}

// The holders keep their order.
void Tensors::drop_holder(int label, int tensor) {
  const auto begin = holders_.begin() + first_holder_[at(label)];
  const auto end = begin + holder_count_[at(label)]--;
  const auto found = std::lower_bound(begin, end, tensor);
  std::copy(found + 1, end, found);
}

StepSize Tensors::contract(int left, int right) {
  const int result = count();
  StepSize cost{Wide(1), Wide(1)};
  const int left_begin = first_label_[at(left)], left_end = first_label_[at(left) + 1];
  const int right_begin = first_label_[at(right)], right_end = first_label_[at(right) + 1];
  for (int i = left_begin; i < left_end; ++i) {
    const int label = labels_[at(i)];
    drop_holder(label, left);
    last_left_[at(label)] = result;
    cost.terms = cost.terms * Wide(extent(label));
  }
  for (int i = right_begin; i < right_end; ++i) {
    const int label = labels_[at(i)];
    drop_holder(label, right);
    if (last_left_[at(label)] != result) cost.terms = cost.terms * Wide(extent(label));
  }
  const auto keep = [&](int label) {
    if (in_output(label) || holder_count_[at(label)] > 0)
      cost.result = cost.result * add_label(label, result);
  };
  for (int i = left_begin; i < left_end; ++i) keep(labels_[at(i)]);
  for (int i = right_begin; i < right_end; ++i)
    if (last_left_[at(labels_[at(i)])] != result) keep(labels_[at(i)]);
  end_tensor(cost.result);
  return cost;
}

namespace {

// Of two operands with few labels, by comparing them: no tables, a tenth of a microsecond.
StepSize size_of_pair(const Network& network, double least_extent) {
  StepSize size{Wide(1), Wide(1)};
  const auto has = [](const std::vector<int>& labels, int label) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  };
  const std::vector<int>&left = network.inputs[0], &right = network.inputs[1];
  const auto count = [&](int label, bool shared) {
    const bool kept = has(network.output, label);
    if (!kept && !shared) return;  // summed before
    const auto size_of_label = static_cast<double>(network.sizes[static_cast<std::size_t>(label)]);
    const Wide extent(std::max(size_of_label, least_extent));
    size.terms = size.terms * extent;
    if (kept) size.result = size.result * extent;
  };
  for (int label : left) count(label, has(right, label));
  for (int label : right)
    if (!has(left, label)) count(label, false);
  return size;
}

}  // namespace

std::vector<StepSize> measure(const Network& network, std::span<const PathStep> steps,
                              double least_extent) {
  constexpr std::size_t kFewLabels = 12;
  if (network.inputs.size() == 2 && network.output.size() <= kFewLabels &&
      std::max(network.inputs[0].size(), network.inputs[1].size()) <= kFewLabels)
    return {size_of_pair(network, least_extent)};
  Tensors tensors(network, {.least_extent = least_extent});
  std::vector<StepSize> sizes;
  sizes.reserve(steps.size());
  for (const PathStep& step : steps) sizes.push_back(tensors.contract(step.left, step.right));
  return sizes;
}

double bytes_of(const Wide& elements, std::int64_t element_bytes) {
  constexpr double kMost = 0x1p63;
  return std::min(elements.clamped() * static_cast<double>(element_bytes), kMost);
}

double spread_of(const Network& network, std::span<const PathStep> steps,
                 std::span<const StepSize> sizes, std::size_t i) {
  if (network.spread == 0 || !(sizes[i].result < sizes[i].terms)) return 0;  // or it sums nothing
  const auto elements = [&](int tensor) {
    const auto at = static_cast<std::size_t>(tensor), operands = network.inputs.size();
    if (at >= operands) return sizes[at - operands].result;
    Wide product(1);
    for (int label : network.inputs[at])
      product = product * Wide(static_cast<double>(network.sizes[static_cast<std::size_t>(label)]));
    return product;
  };
  return std::min(bytes_of(elements(steps[i].left), network.spread),
                  bytes_of(elements(steps[i].right), network.spread));
}

double rise_of(const Network& network, PathStep step, double made) {
  double alive = 0, rise = 0;
  for (int tensor : {step.left, step.right}) {
    if (static_cast<std::size_t>(tensor) >= network.prepared.size()) continue;
    const PreparedBytes& bytes = network.prepared[static_cast<std::size_t>(tensor)];
    rise = std::max(rise, alive + static_cast<double>(bytes.making));
    alive += static_cast<double>(bytes.held);
  }
  return std::max(rise, alive + made);
}

std::int64_t peak_of(const Network& network, std::span<const PathStep> steps,
                     std::span<const StepSize> sizes, std::int64_t element_bytes) {
  const int operands = static_cast<int>(steps.size()) + 1;
  const int output = operands + static_cast<int>(steps.size()) - 1;
  const auto bytes = [&](int tensor) {
    if (tensor < operands || tensor == output) return 0.0;
    return bytes_of(sizes[static_cast<std::size_t>(tensor - operands)].result, element_bytes);
  };
  double alive = 0, peak = 0;
  for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
    const PathStep& step = steps[static_cast<std::size_t>(i)];
    const double result = bytes(operands + i);
    const double made = result + spread_of(network, steps, sizes, static_cast<std::size_t>(i));
    peak = std::max(peak, alive + rise_of(network, step, made));
    alive += result - bytes(step.left) - bytes(step.right);
  }
  // Below 2^53 bytes, more than any machine has, nothing was rounded.
  return peak < 0x1p63 ? static_cast<std::int64_t>(peak) : std::numeric_limits<std::int64_t>::max();
}

PathCost total_of(const Network& network, std::span<const PathStep> steps,
                  std::span<const StepSize> sizes, std::int64_t element_bytes) {
  PathCost cost;
  Wide flops, largest;
  for (const StepSize& size : sizes) {
    flops = flops + size.terms;
    if (largest < size.result) largest = size.result;
  }
  if (steps.empty()) {
    largest = Wide(1);
    for (int label : network.output)
      largest = largest * Wide(static_cast<double>(network.sizes[static_cast<std::size_t>(label)]));
  }
  constexpr double kLog10Of2 = 0.30102999566398119521;
  if (flops.value > 0) cost.log10_flops = flops.log2() * kLog10Of2;
  if (largest.value > 0) cost.log2_size = largest.log2();
  cost.peak_bytes = peak_of(network, steps, sizes, element_bytes);
  return cost;
}

}  // namespace tenfold::einsum_detail
