// The greedy search: contract the pair that looks best, again and again. What looks best is no
// certain thing, so several rules are tried, and the cheapest of their trees is taken.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <queue>
#include <utility>

#include "einsum/path_search.hpp"

namespace tenfold::einsum_detail {
namespace {

// How a pair looks, less being better. a, b: elements of both; c: of their product.
enum class Rule {
  kGrowth,      // c - (a + b)
  kRatio,       // c / (a + b)
  kSteep,       // c / (a + b)^1.25
  kSteeper,     // c / (a + b)^2
  kRatioLarge,  // c / max(a, b)
  kResult,      // c
};

// Growth alone, the usual rule, finishes one corner after the other while costs explode elsewhere;
// a ratio steeper than 1 makes many tensors grow side by side. On networks of many kinds these four
// together came within a factor of 12 of the best known order in the mean, growth alone 700.
constexpr std::array kRules = {Rule::kSteep, Rule::kRatio, Rule::kSteeper, Rule::kRatioLarge};
// Where memory is short.
constexpr std::array kSmallRules = {Rule::kResult, Rule::kGrowth,  Rule::kRatio,
                                    Rule::kSteep,  Rule::kSteeper, Rule::kRatioLarge};

double look_of(Rule rule, double a, double b, double c) {
  const double sum = a + b;
  switch (rule) {
    case Rule::kGrowth:
      return c - sum;
    case Rule::kRatio:
      return c / sum;
    case Rule::kSteep:
      return c / sum / std::sqrt(std::sqrt(sum));
    case Rule::kSteeper:
      return c / sum / sum;
    case Rule::kRatioLarge:
      return c / std::max(a, b);
    case Rule::kResult:
      break;
  }
  return c;
}

// Of a label that more tensors share (a batch of all inputs of a layer, say) only so many, the
// oldest, are looked at as partners; others come by when these are gone, or by another label.
constexpr std::size_t kWide = 32;

// The best partner of a tensor.
struct Candidate {
  double look;
  int owner, partner;

  friend bool operator>(const Candidate& x, const Candidate& y) {
    if (x.look != y.look) return x.look > y.look;
    return x.owner != y.owner ? x.owner > y.owner : x.partner > y.partner;
  }
};

class Greedy {
 public:
  // Contracts at once what needs no choice.
  Greedy(const Network& network, double weight);

  // Contracts the rest. Gives up, returning false, when the cost reaches `least`.
  bool run(Rule rule, const std::optional<Wide>& least);
  // From one tensor on, always with the partner that leaves the least: there are never more than
  // two intermediates.
  void absorb(int start);

  // From now on looks are up to (1 + most) times what they are, by chance.
  void add_noise(double most, std::uint64_t seed) {
    noise_ = most;
    state_ = seed;
  }

  int first_alive_from(int tensor) const;
  const Wide& cost() const { return cost_; }
  std::vector<PathStep> take_steps() { return std::move(steps_); }

 private:
  bool alive(int tensor) const { return alive_[at(tensor)] != 0; }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int contract(int left, int right);
  void merge_twins();
  void merge_scalars();
  double random();
  Candidate best_partner(int owner);
  void offer(int owner);
  void join_rest();

  Tensors tensors_;
  double weight_;
  Rule rule_ = Rule::kResult;
  double noise_ = 0;
  std::uint64_t state_ = 0;  // of the noise
  std::vector<PathStep> steps_;
  Wide cost_;
  std::vector<char> alive_;  // by tensor
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue_;
  // Of a tensor and one that looks for a partner: the products of the extents of the labels that
  // both have, and of those among them that are summed; 0 between uses.
  std::vector<double> shared_, summed_;
  std::vector<int> neighbours_, wide_labels_;
};

Greedy::Greedy(const Network& network, double weight)
    : tensors_(network, {.least_extent = 1, .drop_common = true}),
      weight_(weight),
      alive_(2 * network.inputs.size(), 1),
      shared_(2 * network.inputs.size(), 0),
      summed_(2 * network.inputs.size(), 0) {
  steps_.reserve(network.inputs.size());
  neighbours_.reserve(network.inputs.size());
  merge_twins();
  merge_scalars();
}

int Greedy::contract(int left, int right) {
  const StepSize size = tensors_.contract(left, right);
  cost_ = cost_ + size.terms;
  if (weight_ > 0) cost_ = cost_ + size.result * Wide(weight_);
  steps_.push_back({left, right});
  alive_[at(left)] = alive_[at(right)] = 0;
  return tensors_.count() - 1;
}

// Tensors with the same labels: their product is no larger than each.
void Greedy::merge_twins() {
  std::vector<std::pair<std::uint64_t, int>> keys;  // of a set of labels, in any order
  const int operands = tensors_.count();
  keys.reserve(at(operands));
  for (int i = 0; i < operands; ++i) {
    std::uint64_t key = 0;
    for (int label : tensors_.labels(i)) {
      std::uint64_t mixed = (static_cast<std::uint64_t>(label) + 1) * 0x9E3779B97F4A7C15u;
      mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93u;
      key += mixed ^ (mixed >> 32);
    }
    keys.emplace_back(key, i);
  }
  std::sort(keys.begin(), keys.end());
  const auto same_labels = [&](int one, int other) {
    const std::span<const int> a = tensors_.labels(one), b = tensors_.labels(other);
    return std::is_permutation(a.begin(), a.end(), b.begin(), b.end());
  };
  int product = -1;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    const bool twins =
        keys[i].first == keys[i - 1].first && same_labels(keys[i].second, keys[i - 1].second);
    if (!twins)
      product = -1;
    else
      product = contract(product < 0 ? keys[i - 1].second : product, keys[i].second);
  }
}

// Scalars go into the smallest tensor.
void Greedy::merge_scalars() {
  int scalar = -1, smallest = -1;
  for (int i = 0, count = tensors_.count(); i < count; ++i) {
    if (!alive(i)) continue;
    if (tensors_.labels(i).empty())
      scalar = scalar < 0 ? i : contract(scalar, i);
    else if (smallest < 0 || tensors_.size(i) < tensors_.size(smallest))
      smallest = i;
  }
  if (scalar >= 0 && smallest >= 0) contract(scalar, smallest);
}

// From 0 to 1: the generator SplitMix64, the same everywhere.
double Greedy::random() {
  if (noise_ == 0) return 0;
  std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// Among the older tensors that share a label: each pair has one owner, the newer. How a pair looks
// never changes while both are there: if only the two of them have a label, nobody else had it
// when the newer one came.
Candidate Greedy::best_partner(int owner) {
  neighbours_.clear();
  wide_labels_.clear();
  for (int label : tensors_.labels(owner)) {
    const std::span<const int> holders = tensors_.holders(label);
    const bool wide = holders.size() > kWide;
    if (wide) wide_labels_.push_back(label);
    const double extent = wide ? 1 : tensors_.extent(label);
    const bool sums = holders.size() == 2 && !tensors_.in_output(label);
    for (int other : wide ? holders.first(kWide) : holders) {
      if (other >= owner) break;
      if (shared_[at(other)] == 0) {
        shared_[at(other)] = summed_[at(other)] = 1;
        neighbours_.push_back(other);
      }
      shared_[at(other)] *= extent;
      if (sums) summed_[at(other)] *= extent;
    }
  }
  for (int label : wide_labels_) {
    const std::span<const int> holders = tensors_.holders(label);
    const double extent = tensors_.extent(label);
    constexpr std::size_t kLookUp = 8;  // looking one up costs as much as passing so many
    if (neighbours_.size() * kLookUp < holders.size()) {
      for (int other : neighbours_)
        if (tensors_.holds(other, label)) shared_[at(other)] *= extent;
    } else {
      for (int other : holders) shared_[at(other)] *= extent;  // 0 stays 0
    }
  }
  const double own_size = tensors_.size(owner).clamped();
  Candidate best{0, owner, -1};
  for (int other : neighbours_) {
    const double size = tensors_.size(other).clamped();
    const double result =
        std::min(own_size / shared_[at(other)] * size / summed_[at(other)], Wide::kHuge);
    shared_[at(other)] = summed_[at(other)] = 0;
    const double look = look_of(rule_, own_size, size, result) * (1 + noise_ * random());
    const Candidate candidate{look, owner, other};
    if (best.partner < 0 || best > candidate) best = candidate;
  }
  return best;
}

void Greedy::offer(int owner) {
  const Candidate best = best_partner(owner);
  if (best.partner >= 0) queue_.push(best);
}

bool Greedy::run(Rule rule, const std::optional<Wide>& least) {
  rule_ = rule;
  for (int i = 0; i < tensors_.count(); ++i)
    if (alive(i)) offer(i);
  while (!queue_.empty()) {
    const Candidate best = queue_.top();
    queue_.pop();
    if (!alive(best.owner)) continue;
    // Without its partner the owner looks for another; it can only look worse now.
    offer(alive(best.partner) ? contract(best.partner, best.owner) : best.owner);
    if (least && !(cost_ < *least)) return false;
  }
  join_rest();
  return true;
}

// Products of tensors that share no label, the smallest first.
void Greedy::join_rest() {
  using Item = std::pair<Wide, int>;
  const auto later = [](const Item& x, const Item& y) {
    if (x.first < y.first || y.first < x.first) return y.first < x.first;
    return x.second > y.second;
  };
  std::priority_queue<Item, std::vector<Item>, decltype(later)> rest(later);
  for (int i = 0; i < tensors_.count(); ++i)
    if (alive(i)) rest.emplace(tensors_.size(i), i);
  const auto pop = [&] {
    const int tensor = rest.top().second;
    rest.pop();
    return tensor;
  };
  while (rest.size() > 1) {
    const int one = pop(), other = pop();
    const int product = contract(std::min(one, other), std::max(one, other));
    rest.emplace(tensors_.size(product), product);
  }
}

// The newest tensor is never contracted yet.
int Greedy::first_alive_from(int tensor) const {
  while (!alive(tensor)) ++tensor;
  return tensor;
}

void Greedy::absorb(int start) {
  rule_ = Rule::kResult;
  int grown = start;
  while (steps_.size() + 1 < alive_.size() / 2) {
    int partner = best_partner(grown).partner;
    for (int i = 0; partner < 0; ++i)
      if (i != grown && alive(i)) partner = i;
    grown = contract(std::min(grown, partner), std::max(grown, partner));
  }
}

// Of all trees that are found, the cheapest within the limit, or the one of lowest peak.
std::vector<PathStep> search_for_memory(const Network& network, const Greedy& begun,
                                        const PathOptions& options) {
  std::vector<PathStep> best;
  Wide best_cost;
  std::int64_t best_peak = 0;
  const auto consider = [&](Greedy greedy) {
    const Wide cost = greedy.cost();
    std::vector<PathStep> steps = greedy.take_steps();
    const std::int64_t peak = least_peak_of(network, steps, options.element_bytes);
    const bool fits = peak <= options.memory_limit, best_fits = best_peak <= options.memory_limit;
    const bool better = fits && best_fits ? cost < best_cost : peak < best_peak;
    if (!best.empty() && !better) return;
    best = std::move(steps);
    best_cost = cost;
    best_peak = peak;
  };
  // Each way once as it is, and some times with noise.
  constexpr int kTries = 8;
  constexpr double kNoise = 0.5;
  for (int seed = 0; seed < kTries; ++seed) {
    for (Rule rule : kSmallRules) {
      Greedy greedy = begun;
      if (seed > 0) greedy.add_noise(kNoise, static_cast<std::uint64_t>(seed));
      greedy.run(rule, std::nullopt);
      consider(std::move(greedy));
    }
    // A tensor that absorbs one after the other has few intermediates; where it begins matters.
    constexpr int kStarts = 16;
    const auto operands = static_cast<std::int64_t>(network.inputs.size());
    for (int i = 0; i < kStarts; ++i) {
      Greedy greedy = begun;
      if (seed > 0) greedy.add_noise(kNoise, static_cast<std::uint64_t>(seed));
      greedy.absorb(greedy.first_alive_from(static_cast<int>(operands * i / kStarts)));
      consider(std::move(greedy));
    }
  }
  return best;
}

}  // namespace

std::vector<PathStep> quick_tree(const Network& network, const PathOptions& options) {
  Greedy greedy(network, write_weight(options));
  greedy.run(Rule::kRatio, std::nullopt);
  return greedy.take_steps();
}

std::vector<PathStep> search_greedily(const Network& network, const PathOptions& options) {
  if (network.inputs.size() == 1) return {};
  if (network.inputs.size() == 2) return {{0, 1}};
  const Greedy begun(network, write_weight(options));
  std::vector<PathStep> best;
  std::optional<Wide> least;
  for (Rule rule : kRules) {
    Greedy greedy = begun;
    if (!greedy.run(rule, least)) continue;
    least = greedy.cost();
    best = greedy.take_steps();
  }
  if (options.memory_limit == 0 ||
      least_peak_of(network, best, options.element_bytes) <= options.memory_limit)
    return best;
  return search_for_memory(network, begun, options);
}

}  // namespace tenfold::einsum_detail
