#include <gtest/gtest.h>

#include "tenfold/reduce.hpp"

namespace tenfold {
namespace {

TEST(OpNames, ThereAndBack) {
  EXPECT_EQ(name_of(ReduceOp::kSum), "sum");
  EXPECT_EQ(name_of(ReduceOp::kLogSumExp), "logsumexp");
  EXPECT_EQ(name_of(ReduceOp::kAny), "any");
  for (int i = 0; i <= static_cast<int>(ReduceOp::kAny); ++i) {
    const auto op = static_cast<ReduceOp>(i);
    EXPECT_EQ(parse_reduce_op(name_of(op)), op);
  }
}

TEST(OpNames, OnlyTheShortNames) {
  for (const char* text : {"", "Sum", "ReduceSum", "sum ", "su"})
    EXPECT_EQ(parse_reduce_op(text), std::nullopt) << text;
}

}  // namespace
}  // namespace tenfold
