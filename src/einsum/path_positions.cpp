// Orders as NumPy writes them, by positions in a list that shrinks, and as steps.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "einsum/path.hpp"
#include "tenfold/error.hpp"

namespace tenfold::einsum_detail {
namespace {

Error bad_step(std::size_t step, std::string mistake, std::string expected, std::string got) {
  return {ErrorCode::kBadArgument, "path", fmt::format("step {}{}", step, mistake),
          std::move(expected), std::move(got)};
}

// Throws unless `positions` can be taken out of a list of `count`.
void check_positions(std::size_t step, std::span<const int> positions, int count) {
  if (positions.empty())
    throw bad_step(step, " contracts nothing", "at least one position", "none");
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const int position = positions[i];
    if (position < 0 || position >= count)
      throw bad_step(step, fmt::format(", entry {}: no such position", i),
                     count == 1 ? std::string("0 (one operand is left)")
                                : fmt::format("0 .. {} ({} operands are left)", count - 1, count),
                     std::to_string(position));
    const auto before = positions.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(positions.begin(), before, position) != before)
      throw bad_step(step, fmt::format(", entry {}: a position named twice", i),
                     "different positions", std::to_string(position));
  }
}

}  // namespace

std::vector<PathStep> steps_of(const EinsumPath& path, int operands) {
  std::vector<PathStep> steps;
  std::vector<int> left;  // numbers of the tensors not contracted yet
  left.reserve(static_cast<std::size_t>(operands));
  for (int i = 0; i < operands; ++i) left.push_back(i);
  const auto contract = [&](std::span<const int> tensors) {
    int product = tensors[0];
    for (int tensor : tensors.subspan(1)) {
      steps.push_back({product, tensor});
      product = operands + static_cast<int>(steps.size()) - 1;
    }
    return product;
  };
  std::vector<int> taken;
  for (std::size_t step = 0; step < path.size(); ++step) {
    const std::vector<int>& positions = path[step];
    check_positions(step, positions, static_cast<int>(left.size()));
    taken.clear();
    for (int position : positions) taken.push_back(left[static_cast<std::size_t>(position)]);
    std::erase_if(left, [&](int tensor) {
      return std::find(taken.begin(), taken.end(), tensor) != taken.end();
    });
    left.push_back(contract(taken));
  }
  contract(left);
  return steps;
}

EinsumPath path_of(std::span<const PathStep> steps, int operands) {
  EinsumPath path;
  path.reserve(steps.size());
  // Numbers in the list rise, for results are put at its end.
  std::vector<int> left;
  for (int i = 0; i < operands; ++i) left.push_back(i);
  const auto place_of = [&](int tensor) {
    return std::lower_bound(left.begin(), left.end(), tensor);
  };
  for (const PathStep& step : steps) {
    path.push_back({static_cast<int>(place_of(step.left) - left.begin()),
                    static_cast<int>(place_of(step.right) - left.begin())});
    left.erase(place_of(step.left));
    left.erase(place_of(step.right));
    left.push_back(operands + static_cast<int>(path.size()) - 1);
  }
  return path;
}

}  // namespace tenfold::einsum_detail
