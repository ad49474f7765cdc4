#include "einsum/path.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "einsum/path_search.hpp"
#include "tenfold/einsum.hpp"
#include "tenfold/error.hpp"
#include "tenfold/standards.hpp"

namespace tenfold::einsum_detail {
namespace {

std::vector<PathStep> search_auto(const Network& network, const PathOptions& options) {
  return network.inputs.size() <= kFewOperands ? search_subsets(network, options)
                                               : search_greedily(network, options);
}

// As written: ((0 1) 2) 3 …
std::vector<PathStep> left_to_right(const Network& network, const PathOptions&) {
  const int operands = static_cast<int>(network.inputs.size());
  std::vector<PathStep> steps;
  for (int i = 1; i < operands; ++i) steps.push_back({i == 1 ? 0 : operands + i - 2, i});
  return steps;
}

constexpr std::array<PathMethod, 4> kMethods = {{
    {"auto", search_auto},
    {"dp", search_subsets},
    {"greedy", search_greedily},
    {"left", left_to_right},
}};
constexpr auto kMethodNames = [] {
  std::array<std::string_view, kMethods.size()> names;
  std::transform(kMethods.begin(), kMethods.end(), names.begin(),
                 [](const PathMethod& method) { return method.name; });
  return names;
}();

const PathMethod& find_method(std::string_view name) {
  for (const PathMethod& method : kMethods)
    if (method.name == name) return method;
  std::string expected;
  if (const auto nearest = nearest_name(name, kMethodNames)) {
    expected = "'" + *nearest + "' (the nearest name)";
  } else {
    for (std::string_view known : kMethodNames)
      expected += (expected.empty() ? "'" : ", '") + std::string(known) + "'";
  }
  throw Error(ErrorCode::kUnknownName, std::string(kPathWhere), "no such method for the order",
              std::move(expected), "'" + std::string(name) + "'");
}

}  // namespace

ContractionPath find_path(const Network& network, const PathOptions& options) {
  const PathMethod& method = find_method(options.method);
  ContractionPath path;
  path.steps = method.find(network, options);
  std::vector<StepSize> sizes = measure(network, path.steps);
  order_for_memory(network, path.steps, sizes, options.element_bytes);
  path.cost = total_of(network, path.steps, sizes, options.element_bytes);
  if (options.memory_limit > 0 && path.cost.peak_bytes > options.memory_limit)
    throw Error(ErrorCode::kOutOfMemory, std::string(kPathWhere),
                "no order of contraction fits the memory limit",
                std::to_string(options.memory_limit) + " bytes of intermediates",
                std::to_string(path.cost.peak_bytes) + ", the lowest peak found");
  return path;
}

PathCost cost_of(const Network& network, std::span<const PathStep> steps,
                 std::int64_t element_bytes) {
  return total_of(network, steps, measure(network, steps), element_bytes);
}

std::span<const PathMethod> path_method_rows() { return kMethods; }

}  // namespace tenfold::einsum_detail

namespace tenfold {

std::span<const std::string_view> path_methods() { return einsum_detail::kMethodNames; }

}  // namespace tenfold
