// In which order to run the steps of a tree so that little memory is needed at a time.
#include <algorithm>
#include <utility>

#include "einsum/path_search.hpp"

namespace tenfold::einsum_detail {
namespace {

// While the steps of a subtree run, its memory climbs to a hill, falls to a valley, climbs to a
// lower hill, falls to a higher valley, and so on to the size of its result. Between two valleys
// nothing is gained by turning to other work. So a subtree is a list of such stretches, hills
// falling and valleys rising; two subtrees under one step are best run by taking first the stretch
// that gives back most (hill minus valley), whichever subtree it belongs to. This is Liu's
// theorem on pebbling trees (1987): no other order has a lower peak.
struct Stretch {
  double hill, valley;
  int first, last;  // its steps, a chain in `next`
};
using Profile = std::vector<Stretch>;

class TreeOrder {
 public:
  TreeOrder(const Network& network, std::span<const PathStep> steps,
            std::span<const StepSize> sizes, std::int64_t element_bytes)
      : profiles_(steps.size()), next_(steps.size(), -1) {
    const int operands = static_cast<int>(steps.size()) + 1;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      Profile profile =
          merged(profile_of(steps[i].left - operands), profile_of(steps[i].right - operands));
      // Both results are alive while this step runs: the valley. The output is not counted.
      const double bytes = i + 1 < steps.size() ? bytes_of(sizes[i].result, element_bytes) : 0;
      const int step = static_cast<int>(i);
      const double made = bytes + spread_of(network, steps, sizes, i);
      append(profile, {valley_ + rise_of(network, steps[i], made), bytes, step, step});
      profiles_[i] = std::move(profile);
    }
  }

  // The indices of the steps, in order.
  std::vector<int> steps() const {
    std::vector<int> order;
    order.reserve(next_.size());
    for (const Stretch& stretch : profiles_.back())
      for (int step = stretch.first; step >= 0; step = next_[static_cast<std::size_t>(step)]) {
        order.push_back(step);
        if (step == stretch.last) break;
      }
    return order;
  }

 private:
  Profile profile_of(int step) {
    return step < 0 ? Profile{} : std::move(profiles_[static_cast<std::size_t>(step)]);
  }

  // Leaves the height at the end of both in valley_.
  Profile merged(Profile left, Profile right) {
    if (right.empty() || left.empty()) {
      Profile one = right.empty() ? std::move(left) : std::move(right);
      valley_ = one.empty() ? 0 : one.back().valley;
      return one;
    }
    Profile both;
    both.reserve(left.size() + right.size() + 1);
    double left_valley = 0, right_valley = 0;
    const auto gives_back = [](const Stretch& s) { return s.hill - s.valley; };
    for (auto l = left.begin(), r = right.begin(); l != left.end() || r != right.end();) {
      const bool take_left =
          r == right.end() || (l != left.end() && gives_back(*l) >= gives_back(*r));
      Stretch stretch = take_left ? *l++ : *r++;
      (take_left ? left_valley : right_valley) = stretch.valley;
      const double other = take_left ? right_valley : left_valley;
      stretch.hill += other;
      stretch.valley += other;
      append(both, stretch);
    }
    valley_ = left_valley + right_valley;
    return both;
  }

  // Joins stretches until hills fall and valleys rise.
  void append(Profile& profile, Stretch stretch) {
    while (!profile.empty() &&
           (stretch.hill >= profile.back().hill || stretch.valley <= profile.back().valley)) {
      const Stretch& before = profile.back();
      next_[static_cast<std::size_t>(before.last)] = stretch.first;
      stretch = {std::max(before.hill, stretch.hill), stretch.valley, before.first, stretch.last};
      profile.pop_back();
    }
    profile.push_back(stretch);
  }

  std::vector<Profile> profiles_;  // by step
  std::vector<int> next_;          // by step
  double valley_ = 0;
};

}  // namespace

void order_for_memory(const Network& network, std::vector<PathStep>& steps,
                      std::vector<StepSize>& sizes, std::int64_t element_bytes) {
  if (steps.size() < 3) return;  // at most one intermediate at a time, or a chain
  const int operands = static_cast<int>(steps.size()) + 1;
  const std::vector<int> order = TreeOrder(network, steps, sizes, element_bytes).steps();
  std::vector<int> place(steps.size());
  std::vector<PathStep> new_steps;
  std::vector<StepSize> new_sizes;
  new_steps.reserve(steps.size());
  new_sizes.reserve(steps.size());
  const auto moved = [&](int tensor) {
    return tensor < operands ? tensor
                             : operands + place[static_cast<std::size_t>(tensor - operands)];
  };
  for (int step : order) {
    const auto i = static_cast<std::size_t>(step);
    place[i] = static_cast<int>(new_steps.size());
    new_steps.push_back({moved(steps[i].left), moved(steps[i].right)});
    new_sizes.push_back(sizes[i]);
  }
  steps = std::move(new_steps);
  sizes = std::move(new_sizes);
}

std::int64_t least_peak_of(const Network& network, std::vector<PathStep> steps,
                           std::int64_t element_bytes) {
  std::vector<StepSize> sizes = measure(network, steps);
  order_for_memory(network, steps, sizes, element_bytes);
  return peak_of(network, steps, sizes, element_bytes);
}

Wide cost_of_steps(std::span<const StepSize> sizes, double weight) {
  Wide cost;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    cost = cost + sizes[i].terms;
    if (weight > 0 && i + 1 < sizes.size()) cost = cost + sizes[i].result * Wide(weight);
  }
  return cost;
}

}  // namespace tenfold::einsum_detail
