// Helpers for the tests of copies and products: problems by layout and type, each run on every SIMD
// target. Called by copy_test.cpp and multiply_test.cpp.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "einsum/edge_testing.hpp"
#include "einsum/pair_testing.hpp"

namespace tenfold::einsum_detail {
PairKind copy_kind();
PairKind multiply_kind();
}  // namespace tenfold::einsum_detail

namespace tenfold::einsum_detail::testing {

using Sizes = std::vector<std::int64_t>;
using Strides = std::vector<std::int64_t>;

// Strides of a dense tensor that has the axes in `order`, outermost first, and no others.
inline Strides dense(const Sizes& sizes, const std::vector<int>& order) {
  Strides strides(sizes.size());
  std::int64_t stride = 1;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    strides[static_cast<std::size_t>(*axis)] = stride;
    stride *= sizes[static_cast<std::size_t>(*axis)];
  }
  return strides;
}
inline Strides dense(const Sizes& sizes) {
  std::vector<int> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  return dense(sizes, order);
}

// Every tensor over some of the axes, each in every order.
inline std::vector<Strides> all_layouts(const Sizes& sizes) {
  std::vector<Strides> layouts;
  for (unsigned subset = 0; subset < 1u << sizes.size(); ++subset) {
    std::vector<int> order;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis)
      if (subset >> axis & 1) order.push_back(static_cast<int>(axis));
    do {
      layouts.push_back(dense(sizes, order));
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return layouts;
}

inline Pair copy_of(const Sizes& sizes, const Strides& a, const Strides& c, DType from, DType to) {
  Pair pair;
  pair.has_b = false;
  pair.a_type = pair.b_type = from;
  pair.c_type = to;
  for (std::size_t i = 0; i < sizes.size(); ++i) pair.m.push_back({sizes[i], a[i], 0, c[i]});
  return pair;
}

// Axes go where a planner would put them: in both operands batch, in one m or n.
inline Pair product_of(const Sizes& sizes, const Strides& a, const Strides& b, const Strides& c,
                       DType a_type, DType b_type, DType c_type) {
  Pair pair;
  pair.a_type = a_type;
  pair.b_type = b_type;
  pair.c_type = c_type;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    PairAxes& list = a[i] == 0 ? pair.n : b[i] == 0 ? pair.m : pair.batch;
    list.push_back({sizes[i], a[i], b[i], c[i]});
  }
  return pair;
}

// Calls body(kernel) for the pair's kernel of each target.
template <class Body>
void on_every_target(Pair pair, Body body) {
  fold_pair(pair);
  const PairKind kind = pair.has_b ? multiply_kind() : copy_kind();
  ASSERT_TRUE(kind.accepts(pair));
  EXPECT_GT(kind.cost(pair), 0);
  for (const std::string& target : tenfold::testing::forcible_targets()) {
    const tenfold::testing::ForcedTarget forced(target);
    const auto kernel = kind.make(pair);
    SCOPED_TRACE(target + ": " + kernel->describe());
    body(*kernel);
    if (::testing::Test::HasFailure()) return;
  }
}

inline void expect_right_everywhere(const Pair& pair) {
  on_every_target(pair, [&](const PairKernel& kernel) { expect_right(pair, kernel); });
}

// Types that may stand in one Pair.
inline const std::vector<std::vector<DType>>& type_groups() {
  static const std::vector<std::vector<DType>> groups{
      {DType::kF32, DType::kF16, DType::kBF16, DType::kBool},
      {DType::kF64},
      {DType::kI8, DType::kU8, DType::kI16, DType::kU16, DType::kI32},
      {DType::kI64}};
  return groups;
}

}  // namespace tenfold::einsum_detail::testing
