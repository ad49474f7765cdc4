// Helpers for the tests of orders: random networks, costs counted from sets of labels by the words
// of path.hpp, every order of a few operands, networks from files.
// Included by path_*_test.cpp only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "einsum/path.hpp"

namespace tenfold::einsum_detail::testing {

using Labels = std::set<int>;

inline Labels joined(const Labels& a, const Labels& b) {
  Labels all = a;
  all.insert(b.begin(), b.end());
  return all;
}

// The labels of `term` that the output or another of `terms` has.
inline Labels needed(const Labels& term, const std::vector<Labels>& others, const Labels& output) {
  Labels kept;
  for (int label : term) {
    bool wanted = output.count(label) > 0;
    for (const Labels& other : others) wanted = wanted || other.count(label) > 0;
    if (wanted) kept.insert(label);
  }
  return kept;
}

inline double product(const Network& network, const Labels& labels) {
  double elements = 1;
  for (int label : labels)
    elements *= static_cast<double>(network.sizes[static_cast<std::size_t>(label)]);
  return elements;
}

// A network half contracted.
struct Terms {
  struct Term {
    Labels labels;
    int number;    // as in PathStep
    double bytes;  // 0 for operands
  };
  std::vector<Term> terms;
  double flops = 0, written = 0, alive = 0, peak = 0, largest = 0;

  Terms(const Network& network, std::int64_t element_bytes)
      : network_(&network),
        output_(network.output.begin(), network.output.end()),
        element_bytes_(static_cast<double>(element_bytes)),
        next_(static_cast<int>(network.inputs.size())) {
    std::vector<Labels> sets;
    for (const std::vector<int>& input : network.inputs)
      sets.emplace_back(input.begin(), input.end());
    for (std::size_t i = 0; i < sets.size(); ++i) {
      std::vector<Labels> others = sets;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      terms.push_back({needed(sets[i], others, output_), static_cast<int>(i), 0});
    }
  }

  // Contracts the terms at two places in the list.
  void contract(std::size_t one, std::size_t other) {
    const Term a = terms[one], b = terms[other];
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(std::max(one, other)));
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(std::min(one, other)));
    std::vector<Labels> others;
    for (const Term& term : terms) others.push_back(term.labels);
    const Labels both = joined(a.labels, b.labels);
    Term result{needed(both, others, output_), next_++, 0};
    const double elements = product(*network_, result.labels);
    const double spread =
        elements < product(*network_, both)
            ? static_cast<double>(network_->spread) *
                  std::min(product(*network_, a.labels), product(*network_, b.labels))
            : 0;
    flops += product(*network_, both);
    largest = std::max(largest, elements);
    if (!terms.empty()) {
      written += elements;
      result.bytes = elements * element_bytes_;
    }
    double beside = alive;  // and what is prepared of the operands
    for (int number : {a.number, b.number}) {
      if (static_cast<std::size_t>(number) >= network_->prepared.size()) continue;
      const PreparedBytes& bytes = network_->prepared[static_cast<std::size_t>(number)];
      peak = std::max(peak, beside + static_cast<double>(bytes.making));
      beside += static_cast<double>(bytes.held);
    }
    peak = std::max(peak, beside + spread + result.bytes);
    alive += result.bytes - a.bytes - b.bytes;
    terms.push_back(result);
  }
  void contract(const PathStep& step) {
    const auto place = [&](int number) {
      for (std::size_t i = 0; i < terms.size(); ++i)
        if (terms[i].number == number) return i;
      ADD_FAILURE() << "tensor " << number << " is not there";
      return std::size_t{0};
    };
    contract(place(step.left), place(step.right));
  }

 private:
  const Network* network_;
  Labels output_;
  double element_bytes_;
  int next_;
};

inline Terms run_steps(const Network& network, std::span<const PathStep> steps,
                       std::int64_t element_bytes = 4) {
  Terms terms(network, element_bytes);
  for (const PathStep& step : steps) terms.contract(step);
  return terms;
}

// Whether each tensor but the last is used once, after it was made.
inline void expect_tree(std::span<const PathStep> steps, std::size_t operands) {
  ASSERT_EQ(steps.size() + 1, operands);
  std::vector<char> used(2 * operands - 1);
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (int tensor : {steps[i].left, steps[i].right}) {
      ASSERT_GE(tensor, 0);
      ASSERT_LT(static_cast<std::size_t>(tensor), operands + i);
      ASSERT_FALSE(used[static_cast<std::size_t>(tensor)]) << "tensor " << tensor << " used twice";
      used[static_cast<std::size_t>(tensor)] = 1;
    }
}

// Calls visit(terms) for every order of contraction.
template <class Visit>
void for_each_order(const Terms& terms, Visit& visit) {
  if (terms.terms.size() == 1) return visit(terms);
  for (std::size_t i = 0; i < terms.terms.size(); ++i)
    for (std::size_t j = i + 1; j < terms.terms.size(); ++j) {
      Terms next = terms;
      next.contract(i, j);
      for_each_order(next, visit);
    }
}

// Edges, hyperedges, batch labels, lone labels, extents of 1, scalars, separate parts.
inline Network random_network(int tensors, std::mt19937& random, int most_extent = 6) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Network network;
  network.inputs.resize(static_cast<std::size_t>(tensors));
  const int labels = below(2 * tensors + 1), parts = 1 + (below(4) == 0 ? 1 : 0);
  for (int label = 0; label < labels; ++label) {
    network.sizes.push_back(below(6) == 0 ? 1 : 2 + below(most_extent - 1));
    const int holders = below(8) == 0 ? 1 : below(4) == 0 ? 3 : 2;
    for (int k = 0; k < holders; ++k) {
      const int i = below(tensors) / parts * parts;
      std::vector<int>& input =
          network.inputs[static_cast<std::size_t>(std::min(i + label % parts, tensors - 1))];
      if (std::find(input.begin(), input.end(), label) == input.end()) input.push_back(label);
    }
    if (below(4) == 0) network.output.push_back(label);
  }
  return network;
}

// Lets half of the operands be summed or converted before their steps, and some networks be
// complex.
inline void prepare_some(Network& network, std::mt19937& random, unsigned most_bytes) {
  if (random() % 3 == 0) {
    network.spread = 8;
    std::vector<int> uses(network.sizes.size());
    for (const std::vector<int>& input : network.inputs)
      for (int label : input) ++uses[static_cast<std::size_t>(label)];
    for (int label : network.output) ++uses[static_cast<std::size_t>(label)];
    for (std::vector<int>& input : network.inputs)
      std::erase_if(input, [&](int label) { return uses[static_cast<std::size_t>(label)] == 1; });
  }
  network.prepared.resize(network.inputs.size());
  for (PreparedBytes& bytes : network.prepared) {
    if (random() % 2 == 0) continue;
    bytes.held = random() % most_bytes;
    bytes.making = bytes.held + (random() % 3 == 0 ? random() % most_bytes : 0);
  }
}

// A line of networks.jsonl or orders.jsonl.
struct KnownNetwork {
  std::string id;
  Network network;
  double log10_flops;  // the least known
};

// A file of tests/data.
inline std::vector<KnownNetwork> load_networks(const std::string& name) {
  std::ifstream file(std::string(TENFOLD_TEST_DATA "/") + name);
  EXPECT_TRUE(file) << name;
  std::vector<KnownNetwork> all;
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json row = nlohmann::json::parse(line);
    all.push_back({row.value("id", std::to_string(all.size())),
                   {row.at("inputs").get<std::vector<std::vector<int>>>(),
                    row.at("output").get<std::vector<int>>(),
                    row.at("sizes").get<std::vector<std::int64_t>>()},
                   row.at("log10_flops").get<double>()});
  }
  return all;
}

}  // namespace tenfold::einsum_detail::testing
