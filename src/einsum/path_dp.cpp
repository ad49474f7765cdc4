// The exact search: the best tree for every subset of the operands, from smaller ones.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "einsum/path_search.hpp"
#include "tenfold/error.hpp"

namespace tenfold::einsum_detail {
namespace {

using Set = std::uint32_t;  // of operands, a bit for each

// The arithmetic of costs: double, or Wide where products would overflow.
template <class Real>
Real infinite() {
  if constexpr (std::is_same_v<Real, double>)
    return std::numeric_limits<double>::infinity();
  else
    return {std::numeric_limits<double>::infinity(), std::numeric_limits<std::int64_t>::max() / 2};
}
double reciprocal(double x) { return 1 / x; }
Wide reciprocal(const Wide& x) { return inverse(x); }
double to_double(double x) { return x; }
double to_double(const Wide& x) { return x.clamped(); }

// Let T be the labels that some operand of the subset S has, and I(S) those of T that no other
// operand and not the output has: they are summed inside S. The product of S has the labels
// T(S) - I(S). The step that makes it from the halves A and B runs over T(S) - I(A) - I(B), and
// I(A), I(B) have nothing in common. With t and i for the products of the extents,
//
//   multiplications of the step = t(S) / (i(A) i(B)),    elements of S = t(S) / i(S)
//
// whatever the number of labels and of operands that share one: three numbers for each subset and
// no sets of labels in the search. A split is two table look-ups and four operations; all 3^12 / 2
// of 12 operands take less than a millisecond, so no split needs to be left out for being an outer
// product.
template <class Real>
class SubsetSearch {
 public:
  SubsetSearch(const Network& network, double weight, std::int64_t element_bytes)
      : network_(network),
        full_((Set{1} << network.inputs.size()) - 1),
        weight_(weight),
        element_bytes_(element_bytes),
        touching_(full_ + 1),
        entries_(full_ + 1) {
    tabulate();
  }

  // Of the lowest cost. Trees that cost more than `bound` need not be found.
  std::vector<PathStep> cheapest(Real bound) {
    std::vector<Set> split(full_ + 1);
    for (Set set = 1; set <= full_; ++set) {
      Entry& entry = entries_[set];
      entry.best = Real(0);
      if (std::has_single_bit(set)) continue;
      entry.best = infinite<Real>();
      const Real touching = touching_[set];
      const Real written = touching * entry.inside;
      const double weight = set == full_ ? 0 : weight_;
      // A step has no fewer multiplications than its result has elements.
      if (bound < written * Real(1 + weight)) continue;
      for_each_split(set, [&](Set one, Set other) {
        const Entry &a = entries_[one], &b = entries_[other];
        const Real cost = a.best + b.best + touching * a.inside * b.inside;
        if (cost < entry.best) {
          entry.best = cost;
          split[set] = one;
        }
      });
      if (weight > 0) entry.best = entry.best + written * Real(weight);
    }
    return tree([&](Set set) { return split[set]; });
  }

  // Of the lowest peak.
  std::vector<PathStep> lowest_peak() const {
    std::vector<Set> split(full_ + 1);
    std::vector<double> peak(full_ + 1, 0);
    for (Set set = 1; set <= full_; ++set) {
      if (std::has_single_bit(set)) continue;
      peak[set] = std::numeric_limits<double>::infinity();
      for_each_split(set, [&](Set one, Set other) {
        const double p = joint_peak(set, one, other, peak[one], peak[other]);
        if (p < peak[set]) {
          peak[set] = p;
          split[set] = one;
        }
      });
    }
    return tree([&](Set set) { return split[set]; });
  }

  // The cheapest of those within a limit; empty if there is none.
  std::vector<PathStep> cheapest_within(std::int64_t limit) const;

 private:
  struct Entry {
    Real best, inside;  // of the cheapest tree; 1 / i(S)
  };

  void tabulate();

  // The lowest operand is in the first half, so each split comes once.
  template <class Visit>
  static void for_each_split(Set set, Visit visit) {
    const Set lowest = set & (~set + 1), rest = set ^ lowest;
    for (Set part = rest; part != 0;) {
      part = (part - 1) & rest;
      visit(lowest | part, rest ^ part);
    }
  }

  double bytes(Set set, std::int64_t element_bytes) const {
    const double elements = to_double(touching_[set] * entries_[set].inside);
    return std::min(elements * static_cast<double>(element_bytes), 0x1p63);
  }
  // Bytes while it is an intermediate.
  double bytes(Set set) const {
    return set == full_ || std::has_single_bit(set) ? 0 : bytes(set, element_bytes_);
  }
  // The better of the two orders: first one half, then, with its result kept, the other.
  double joint_peak(Set set, Set one, Set other, double one_peak, double other_peak) const {
    const double a = bytes(one), b = bytes(other);
    const Real kept = entries_[one].inside * entries_[other].inside;
    const bool sums = entries_[set].inside * Real(kBetween) < kept;
    const double spread =
        sums ? std::min(bytes(one, network_.spread), bytes(other, network_.spread)) : 0;
    return std::max(
        a + b + rise_of(network_, {number_of(one), number_of(other)}, bytes(set) + spread),
        std::min(std::max(one_peak, a + other_peak), std::max(other_peak, b + one_peak)));
  }
  // Between the rounding errors of a factor and the least that a label divides by.
  static constexpr double kBetween = 1.5;
  // As in PathStep, for operands; past them for all else.
  int number_of(Set set) const {
    return std::has_single_bit(set) ? std::countr_zero(set) : std::popcount(full_);
  }

  template <class SplitOf>
  std::vector<PathStep> tree(SplitOf split_of) const {
    std::vector<PathStep> steps;
    steps.reserve(static_cast<std::size_t>(std::popcount(full_)) - 1);
    grow(full_, split_of, steps);
    return steps;
  }
  // Appends the steps that make `set`; returns the number of their result.
  template <class SplitOf>
  int grow(Set set, SplitOf& split_of, std::vector<PathStep>& steps) const {
    if (std::has_single_bit(set)) return std::countr_zero(set);
    const Set one = split_of(set);
    const int left = grow(one, split_of, steps), right = grow(set ^ one, split_of, steps);
    steps.push_back({left, right});
    return std::popcount(full_) + static_cast<int>(steps.size()) - 1;
  }

  const Network& network_;
  Set full_;
  double weight_;
  std::int64_t element_bytes_;
  std::vector<Real> touching_;  // t(S)
  std::vector<Entry> entries_;
};

// Products over the labels whose operands all lie in S, for every S: multiply each label into the
// place of its operands, then add one operand after the other to the subsets. What touches S is
// what doesn't lie outside of it.
template <class Real>
void SubsetSearch<Real>::tabulate() {
  const std::vector<std::int64_t>& sizes = network_.sizes;
  std::vector<Set> holders(sizes.size());
  for (std::size_t i = 0; i < network_.inputs.size(); ++i)
    for (int label : network_.inputs[i]) holders[static_cast<std::size_t>(label)] |= Set{1} << i;
  std::vector<char> in_output(sizes.size());
  for (int label : network_.output) in_output[static_cast<std::size_t>(label)] = 1;

  std::vector<Real> within(full_ + 1, Real(1)), inside(full_ + 1, Real(1));
  for (std::size_t label = 0; label < holders.size(); ++label) {
    const Set set = holders[label];
    const bool lone = std::popcount(set) <= 1 && in_output[label] == 0;
    if (sizes[label] <= 1 || set == 0 || lone) continue;
    const Real extent(static_cast<double>(sizes[label]));
    within[set] = within[set] * extent;
    if (in_output[label] == 0) inside[set] = inside[set] * extent;
  }
  for (Set bit = 1; bit < full_; bit <<= 1)
    for (Set set = 0; set <= full_; ++set)
      if ((set & bit) != 0) {
        within[set] = within[set] * within[set ^ bit];
        inside[set] = inside[set] * inside[set ^ bit];
      }
  for (Set set = 0; set <= full_; ++set) {
    touching_[set] = within[full_] * reciprocal(within[full_ ^ set]);
    entries_[set].inside = reciprocal(inside[set]);
  }
}

// A cheaper tree of a subset may have the higher peak, and which is right depends on what is alive
// beside it. So each subset keeps all trees that are not beaten in both.
template <class Real>
std::vector<PathStep> SubsetSearch<Real>::cheapest_within(std::int64_t limit) const {
  struct Choice {
    double peak;
    Real cost;
    Set one;
    int one_choice, other_choice;  // of the halves
  };
  // At most so many, the lowest peak and the lowest cost among them, or dense networks would take
  // long.
  constexpr std::size_t kMostChoices = 12;
  std::vector<std::vector<Choice>> choices(full_ + 1);  // peaks rise, costs fall
  const auto insert = [](std::vector<Choice>& list, const Choice& choice) {
    const auto at = std::upper_bound(list.begin(), list.end(), choice.peak,
                                     [](double p, const Choice& c) { return p < c.peak; });
    if (at != list.begin() && !(choice.cost < (at - 1)->cost)) return;
    auto begin = at;
    if (at != list.begin() && (at - 1)->peak == choice.peak) --begin;
    auto end = at;
    while (end != list.end() && !(end->cost < choice.cost)) ++end;
    list.insert(list.erase(begin, end), choice);
    if (list.size() > kMostChoices) list.erase(list.begin() + kMostChoices / 2);
  };
  for (Set set = 1; set <= full_; ++set) {
    if (std::has_single_bit(set)) {
      choices[set].push_back({0, Real(0), 0, 0, 0});
      continue;
    }
    const Real written = touching_[set] * entries_[set].inside;
    for_each_split(set, [&](Set one, Set other) {
      Real step = touching_[set] * entries_[one].inside * entries_[other].inside;
      if (set != full_ && weight_ > 0) step = step + written * Real(weight_);
      for (std::size_t i = 0; i < choices[one].size(); ++i)
        for (std::size_t j = 0; j < choices[other].size(); ++j) {
          const Choice &a = choices[one][i], &b = choices[other][j];
          const double peak = joint_peak(set, one, other, a.peak, b.peak);
          if (peak <= static_cast<double>(limit))
            insert(choices[set],
                   {peak, a.cost + b.cost + step, one, static_cast<int>(i), static_cast<int>(j)});
        }
    });
  }
  if (choices[full_].empty()) return {};
  // A choice of the whole names one choice for each subset of its tree.
  std::vector<int> chosen(full_ + 1);
  chosen[full_] = static_cast<int>(choices[full_].size()) - 1;
  return tree([&](Set set) {
    const Choice& choice = choices[set][static_cast<std::size_t>(chosen[set])];
    chosen[choice.one] = choice.one_choice;
    chosen[set ^ choice.one] = choice.other_choice;
    return choice.one;
  });
}

template <class Real>
std::vector<PathStep> search(const Network& network, const PathOptions& options, Real bound) {
  SubsetSearch<Real> subsets(network, write_weight(options), options.element_bytes);
  std::vector<PathStep> steps = subsets.cheapest(bound);
  const std::int64_t limit = options.memory_limit;
  if (limit == 0 || least_peak_of(network, steps, options.element_bytes) <= limit) return steps;
  steps = subsets.cheapest_within(limit);
  return steps.empty() ? subsets.lowest_peak() : steps;
}

}  // namespace

std::vector<PathStep> search_subsets(const Network& network, const PathOptions& options) {
  const int operands = static_cast<int>(network.inputs.size());
  if (operands > kMostSubsetOperands)
    throw Error(ErrorCode::kBadArgument, std::string(kPathWhere),
                "the order 'dp' is not for so many operands",
                fmt::format("at most {} operands, or 'auto' or 'greedy'", kMostSubsetOperands),
                std::to_string(operands));
  if (operands == 1) return {};
  if (operands == 2) return {{0, 1}};

  // The product of all extents bounds everything that is computed, times 2^20 for weights and sums.
  double log2_all = 20;
  for (std::int64_t size : network.sizes)
    log2_all += size > 1 ? std::log2(static_cast<double>(size)) : 0;
  const bool fits_double = log2_all < 1000;

  // Fewer subsets are searched sooner than a bound is found.
  constexpr int kBoundFrom = 8;
  Wide bound;
  if (operands >= kBoundFrom) {
    // A rounding error must not exclude the tree that the bound is from.
    const double slack = 1 + 1e-9;
    const std::vector<PathStep> quick = quick_tree(network, options);
    bound = cost_of_steps(measure(network, quick, 1), write_weight(options)) * Wide(slack);
  }
  if (fits_double)
    return search<double>(network, options,
                          bound.value > 0
                              ? std::ldexp(bound.value, static_cast<int>(256 * bound.power))
                              : infinite<double>());
  return search<Wide>(network, options, bound.value > 0 ? bound : infinite<Wide>());
}

}  // namespace tenfold::einsum_detail
