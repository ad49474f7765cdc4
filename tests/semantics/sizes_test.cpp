// Lengths around the vector widths and the leaves of the summation tree, along the rows and along
// the columns, from misaligned starts and with gaps between rows.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/check.hpp"
#include "support/layout.hpp"
#include "support/pace.hpp"
#include "support/problem.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

constexpr int kMostFailures = 5;

std::vector<std::int64_t> short_lengths() {
  std::vector<std::int64_t> lengths;
  for (std::int64_t n = 0; n <= 70; ++n) lengths.push_back(n);
  return lengths;
}
// Around powers of two, whole leaves, groups of leaves, and one with several levels of the tree.
const std::int64_t kLongLengths[] = {127,  128,  129,  255,  256,  257,  511,  512,
                                     513,  1023, 1024, 1025, 2047, 2048, 2049, 4095,
                                     4096, 4097, 8191, 8192, 8193, 20000};

class Sizes : public ::testing::TestWithParam<DType> {
 protected:
  // Reduces one axis of a 2-D problem that lies in memory as asked; false after too many failures.
  bool check(ReduceOp op, const Dims& shape, std::int64_t axis, const Layout& layout) {
    if (kSanitized && element_count(shape) > 3000) return true;
    if (is_arg(op) && shape[static_cast<int>(axis)] == 0) return true;
    const Tensor source = random_tensor(GetParam(), shape, op, random_);
    const LaidOut laid(source, layout);
    const ReduceSpec spec{.op = op, .axes = Dims{axis}, .select_last_index = layout.offset == 2};
    const std::string wrong = mismatch(laid.view(), spec, reduce(laid.view(), spec));
    if (wrong.empty()) return true;
    ADD_FAILURE() << wrong << " offset " << layout.offset;
    return ++failures_ < kMostFailures;
  }

 private:
  Random random_{5};
  int failures_ = 0;
};

TEST_P(Sizes, ShortRows) {
  for (ReduceOp op : all_ops()) {
    if (!is_defined(op, GetParam())) continue;
    for (std::int64_t n : short_lengths())
      for (std::int64_t offset = 0; offset < 4; ++offset)
        for (std::int64_t rows : {1, 5, 19})  // 16 rows at a time may go another way
          if (!check(op, Dims{rows, n}, 1, {.gaps = {offset, 0}, .offset = offset})) return;
  }
}

TEST_P(Sizes, LongRows) {
  for (ReduceOp op : all_ops()) {
    if (!is_defined(op, GetParam())) continue;
    for (std::int64_t n : kLongLengths)
      for (std::int64_t offset = 0; offset < 4; ++offset) {
        const std::int64_t rows = offset == 0 ? 1 : offset == 1 ? 17 : 2;
        if (n > 2049 && rows > 2) continue;
        if (!check(op, Dims{rows, n}, 1, {.gaps = {offset * 3, 0}, .offset = offset})) return;
      }
  }
}

TEST_P(Sizes, ShortColumns) {
  for (ReduceOp op : all_ops()) {
    if (!is_defined(op, GetParam())) continue;
    for (std::int64_t n : short_lengths()) {
      const std::int64_t offset = n % 4;
      for (std::int64_t columns : {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 65, 100})
        if (!check(op, Dims{n, columns}, 0, {.gaps = {offset, 0}, .offset = offset})) return;
    }
  }
}

TEST_P(Sizes, LongColumns) {
  for (ReduceOp op : all_ops()) {
    if (!is_defined(op, GetParam())) continue;
    for (std::int64_t n : kLongLengths) {
      const std::int64_t offset = (n + 1) % 4;
      for (std::int64_t columns : {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 65, 100}) {
        if (n * columns > 20000 && (n > 1025 || columns > 17) && columns != 3) continue;
        if (!check(op, Dims{n, columns}, 0, {.gaps = {offset, 0}, .offset = offset})) return;
      }
    }
  }
}

TEST_P(Sizes, WideBlocksOfColumns) {
  for (ReduceOp op : all_ops()) {
    if (!is_defined(op, GetParam())) continue;
    for (std::int64_t columns : {511, 2049, 4095, 4097, 9000})
      for (std::int64_t n : {1, 2, 5})
        if (!check(op, Dims{n, columns}, 0, {.gaps = {n % 3, 0}, .offset = n % 4})) return;
  }
}

// Rows so long that they are taken a few at a time.
TEST_P(Sizes, LongRowsAcross) {
  for (ReduceOp op : all_ops()) {
    if (!is_defined(op, GetParam())) continue;
    for (std::int64_t columns : {255, 256, 257, 700})
      for (std::int64_t n : {9, 15, 16, 17, 20, 31, 32, 33, 49, 64, 65, 100, 127, 128, 129})
        if (!check(op, Dims{n, columns}, 0, {.gaps = {n % 3, 0}, .offset = n % 4})) return;
  }
}

// Many short rows, of few different values, with NaN in some.
TEST_P(Sizes, PlacesInShortRows) {
  visit_real_dtype(GetParam(), [&]<class T>() {
    for (std::int64_t n = 1; n <= 140; n += n < 70 ? 1 : 7) {
      Tensor x(dtype_of<T>, Dims{37, n});
      for (std::int64_t i = 0; i < x.size(); ++i) {
        T& to = x.values<T>()[static_cast<std::size_t>(i)];
        to = T(static_cast<float>(i * 7919 % 64 % 5));
        if constexpr (is_float(dtype_of<T>))
          if (i * 31 % 83 == 0) to = T(std::numeric_limits<float>::quiet_NaN());
      }
      for (ReduceOp op : {ReduceOp::kArgMax, ReduceOp::kArgMin})
        for (bool last : {false, true}) {
          const ReduceSpec spec{.op = op, .axes = Dims{1}, .select_last_index = last};
          const std::string wrong = mismatch(x, spec, reduce(x, spec));
          ASSERT_TRUE(wrong.empty()) << wrong << " last " << last;
        }
    }
  });
}

TEST_P(Sizes, StepsInBothAxes) {
  for (ReduceOp op : all_ops()) {
    if (!is_defined(op, GetParam())) continue;
    for (std::int64_t n : {1, 2, 3, 5, 8, 15, 16, 17, 33, 70, 511, 513, 1025, 4097})
      for (std::int64_t axis : {0, 1})
        for (unsigned backwards = 0; backwards < 4; ++backwards) {
          const Dims shape = axis == 0 ? Dims{n, 3} : Dims{3, n};
          if (!check(op, shape, axis, {.gaps = {2, 1}, .backwards = backwards, .offset = 1}))
            return;
        }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Sizes, ::testing::ValuesIn(all_dtypes()),
                         [](const auto& p) { return std::string(name_of(p.param)); });

}  // namespace
}  // namespace tenfold::testing
