// The same elements give the same bits: whatever the strides, padding and alignment, along rows or
// columns, alone or among others. (Threads: threads_test.cpp.)
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "support/bits_fixture.hpp"
#include "support/check.hpp"
#include "support/layout.hpp"
#include "support/pace.hpp"
#include "support/problem.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

class SameBits : public BitsTest {};

// One reduced axis of length n in a problem [rows, n].
const Layout kLayouts[] = {
    {.offset = 1},
    {.offset = 3},
    {.gaps = {5, 0}},
    {.gaps = {0, 1}},               // every second element
    {.backwards = 2},               // the reduced axis backwards
    {.backwards = 1, .offset = 2},  // the rows backwards
    {.memory_order = {1, 0}},       // along columns
    {.memory_order = {1, 0}, .offset = 1},
    {.memory_order = {1, 0}, .gaps = {0, 7}},  // columns in padded rows
    {.memory_order = {1, 0}, .gaps = {1, 0}},  // every second column
    {.memory_order = {1, 0}, .gaps = {1, 3}, .backwards = 3, .offset = 1},
};

TEST_P(SameBits, WhateverTheLayout) {
  for (ReduceOp op : ops())
    for (std::int64_t n : {1,   2,   3,   5,   7,    8,    9,    15,   16,   17,   23,   31,
                           32,  33,  48,  63,  64,   65,   70,   100,  127,  128,  129,  257,
                           511, 512, 513, 777, 1023, 1024, 1025, 1537, 2049, 4095, 4097, 8193})
      for (std::int64_t rows : {1, 3, 20, 70}) {
        if (n * rows > (kSanitized ? 5000 : 100000)) continue;
        const Tensor x = data(Dims{rows, n}, op);
        const ReduceSpec spec{.op = op, .axes = Dims{1}, .select_last_index = n % 2 == 1};
        const Tensor expected = reduce(x, spec);
        for (const Layout& layout : kLayouts) {
          const LaidOut laid(x, layout);
          if (!same(reduce(laid.view(), spec), expected, problem_string(laid.view(), spec))) return;
        }
      }
}

TEST_P(SameBits, InTheMiddleAndAlone) {
  for (ReduceOp op : ops())
    for (std::int64_t n : {2, 3, 17, 64, 100, 513, 2100}) {
      const Tensor x = data(Dims{2, n, 5}, op);
      const ReduceSpec spec{.op = op, .axes = Dims{1}};
      const Tensor expected = reduce(x, spec);
      for (const Layout& layout :
           {Layout{.memory_order = {0, 2, 1}}, Layout{.memory_order = {2, 0, 1}},
            Layout{.memory_order = {1, 0, 2}}, Layout{.memory_order = {1, 2, 0}},
            Layout{.memory_order = {2, 1, 0}, .gaps = {1, 1, 1}}}) {
        const LaidOut laid(x, layout);
        if (!same(reduce(laid.view(), spec), expected, problem_string(laid.view(), spec))) return;
      }
      // Each output alone: the same as among the others.
      Tensor alone(expected.dtype(), expected.shape());
      for (std::int64_t i = 0; i < 10; ++i) {
        const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
        const auto* start = static_cast<const char*>(x.data()) + (i / 5 * n * 5 + i % 5) * size;
        const Tensor one =
            reduce(TensorView(start, x.dtype(), Dims{n}, Dims{5}), {.op = op, .axes = Dims{0}});
        std::memcpy(static_cast<char*>(alone.data()) + i * one.bytes(), one.data(),
                    static_cast<std::size_t>(one.bytes()));
      }
      if (!same(alone, expected, problem_string(x, spec) + " one by one")) return;
    }
}

// Neighbouring axes are one axis.
TEST_P(SameBits, NeighboursAreOneAxis) {
  for (ReduceOp op : ops()) {
    if (is_arg(op)) continue;
    for (const auto& [a, b] : {std::pair<std::int64_t, std::int64_t>{3, 7}, {16, 40}, {40, 129}}) {
      const Tensor x = data(Dims{2, a, b, 3}, op);
      const ReduceSpec two{.op = op, .axes = Dims{1, 2}}, one{.op = op, .axes = Dims{1}};
      const TensorView merged(x.data(), x.dtype(), Dims{2, a * b, 3});
      if (!same(reduce(x, two), reduce(merged, one), problem_string(x, two))) return;
      const ReduceSpec last{.op = op, .axes = Dims{1, 2, 3}};
      const TensorView rows(x.data(), x.dtype(), Dims{2, a * b * 3});
      if (!same(reduce(x, last), reduce(rows, one), problem_string(x, last))) return;
      // Also when a permutation hides the order in memory: it is memory that counts.
      const TensorView swapped = permuted(x.view(), Dims{0, 2, 1, 3});
      if (!same(reduce(swapped, two), reduce(merged, one), problem_string(swapped, two))) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, SameBits, ::testing::ValuesIn(all_dtypes()),
                         [](const auto& p) { return std::string(name_of(p.param)); });

}  // namespace
}  // namespace tenfold::testing
