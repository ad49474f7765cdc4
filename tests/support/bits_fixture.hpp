// The fixture of tests that compare results bit for bit: one element type, its operators and its
// data. Shapes of data and how two results came about are the test's own; used by same_bits_test
// and threads_test.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/check.hpp"
#include "support/problem.hpp"
#include "support/random.hpp"

namespace tenfold::testing {

class BitsTest : public ::testing::TestWithParam<DType> {
 protected:
  // False after too many failures.
  bool same(const Tensor& a, const Tensor& b, const std::string& problem) {
    const std::string wrong = difference(a, b);
    if (wrong.empty()) return true;
    ADD_FAILURE() << problem << ":" << wrong;
    return ++failures_ < kMostFailures;
  }
  std::vector<ReduceOp> ops() const {
    std::vector<ReduceOp> defined;
    for (ReduceOp op : all_ops())
      if (is_defined(op, GetParam())) defined.push_back(op);
    return defined;
  }
  // A few NaN and infinities among the rest, in some rows, where the type has them.
  Tensor data(const Dims& shape, ReduceOp op) {
    Tensor x = random_tensor(GetParam(), shape, op, random_);
    if (x.size() >= 64 && random_.below(3) == 0) sprinkle_specials(x, random_);
    return x;
  }
  Random random_{7};

 private:
  static constexpr int kMostFailures = 5;
  int failures_ = 0;
};

}  // namespace tenfold::testing
