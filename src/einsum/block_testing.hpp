// Pairs and checks for the tests of the packed block contraction.
// Included by block_test.cpp and block_bits_test.cpp.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "einsum/pair_testing.hpp"

namespace tenfold::einsum_detail {

PairKind block_kind();

namespace testing {

inline void check_block(Pair pair) {
  fold_pair(pair);
  const PairKind kind = block_kind();
  ASSERT_TRUE(kind.accepts(pair));
  EXPECT_GT(kind.cost(pair), 0);
  const auto kernel = kind.make(pair);
  SCOPED_TRACE(kernel->describe());
  expect_right(pair, *kernel);
}

// The pair of an equation over dense row-major operands in which no label stands twice in a term.
inline Pair equation_pair(std::string_view equation, std::map<char, std::int64_t> sizes) {
  const auto comma = equation.find(','), arrow = equation.find("->");
  const std::string_view terms[] = {equation.substr(0, comma),
                                    equation.substr(comma + 1, arrow - comma - 1),
                                    equation.substr(arrow + 2)};
  std::map<char, PairAxis> axes;
  for (int t = 0; t < 3; ++t) {
    std::int64_t stride = 1;
    for (auto label = terms[t].rbegin(); label != terms[t].rend(); ++label) {
      PairAxis& axis = axes.try_emplace(*label, PairAxis{sizes[*label], 0, 0, 0}).first->second;
      (t == 0 ? axis.a : t == 1 ? axis.b : axis.c) = stride;
      stride *= sizes[*label];
    }
  }
  Pair pair;
  for (const auto& [label, axis] : axes) {
    const auto in = [label = label](std::string_view term) {
      return term.find(label) != std::string_view::npos;
    };
    if (!in(terms[2]))
      pair.k.push_back(axis);
    else if (in(terms[0]) && in(terms[1]))
      pair.batch.push_back(axis);
    else
      (in(terms[0]) ? pair.m : pair.n).push_back(axis);
  }
  return pair;
}

// c[m, n] = a[m, k] b[k, n]; the orders of the axes in memory as in "mk", "kn", "mn".
struct ProductSizes {
  std::int64_t m, n, k;
};
inline Pair product(ProductSizes s, std::string_view a, std::string_view b, std::string_view c) {
  const std::string equation = std::string(a) + "," + std::string(b) + "->" + std::string(c);
  return equation_pair(equation, {{'m', s.m}, {'n', s.n}, {'k', s.k}});
}

// Every element of a and b is the smallest, or every one the largest, of its type.
inline void expect_extremes_wrap(const Pair& pair) {
  visit_dtype(pair.a_type, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      const auto kernel = block_kind().make(pair);
      const auto elements = [](const PairAxes& x, const PairAxes& y) {
        return static_cast<std::size_t>(extent(x) * extent(y));
      };
      for (const T x : {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()})
        for (const T y : {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()}) {
          const std::vector<T> a(elements(pair.m, pair.k), x), b(elements(pair.k, pair.n), y);
          std::vector<T> c(elements(pair.m, pair.n), T{5});
          kernel->run(a.data(), b.data(), c.data(), {.executor = &serial_executor()});
          const auto expected =
              static_cast<T>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y) *
                             static_cast<std::uint64_t>(extent(pair.k)));
          for (const T value : c) ASSERT_EQ(value, expected) << +x << " times " << +y;
        }
    }
  });
}

}  // namespace testing
}  // namespace tenfold::einsum_detail
