// The summation tree in its plainest form: what the bits of a sum must be (ARCHITECTURE.md, "Same
// bits"). Leaves of 512 elements in 16 lanes; lanes fold in halves; leaves merge like the carries
// of a binary counter. Called by the equal-bits tests.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tenfold::testing {

inline constexpr std::int64_t kModelLeaf = 512;
inline constexpr int kModelLanes = 16;

// One leaf: lane l takes element l, l + 16, … one after another, beginning with the identity.
template <class Acc, class Element, class Join>
Acc model_leaf(std::int64_t first, std::int64_t last, Acc identity, Element element, Join join) {
  Acc lanes[kModelLanes];
  for (Acc& lane : lanes) lane = identity;
  for (std::int64_t i = first; i < last; ++i) {
    Acc& lane = lanes[(i - first) % kModelLanes];
    lane = join(lane, element(i));
  }
  for (int half = kModelLanes / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l) lanes[l] = join(lanes[l], lanes[l + half]);
  return lanes[0];
}

// The fold of element(0) … element(n-1); n >= 1. `Acc` is float or double; `join` adds or
// multiplies with one rounding.
template <class Acc, class Element, class Join>
Acc model_fold(std::int64_t n, Acc identity, Element element, Join join) {
  std::vector<std::optional<Acc>> levels;  // levels[k]: a subtree of 2^k whole leaves
  std::int64_t at = 0;
  for (; at + kModelLeaf <= n; at += kModelLeaf) {
    Acc carry = model_leaf(at, at + kModelLeaf, identity, element, join);
    std::size_t k = 0;
    for (; k < levels.size() && levels[k]; ++k) {
      carry = join(*levels[k], carry);
      levels[k].reset();
    }
    if (k == levels.size()) levels.emplace_back();
    levels[k] = carry;
  }
  std::optional<Acc> total;
  if (at < n) total = model_leaf(at, n, identity, element, join);
  for (const std::optional<Acc>& level : levels) {
    if (!level) continue;
    total = total ? join(*level, *total) : *level;
  }
  return *total;
}

}  // namespace tenfold::testing
