#include <gtest/gtest.h>

#include <string>

#include "tenfold/standards.hpp"

namespace tenfold {
namespace {

constexpr std::string_view kNames[] = {"ReduceMax", "ReduceMean", "ReduceMin", "sum", "max", "l1"};

TEST(NearestName, OneSlip) {
  EXPECT_EQ(nearest_name("ReduceMex", kNames), "ReduceMax");
  EXPECT_EQ(nearest_name("RedcueMean", kNames), "ReduceMean");  // two neighbours swapped
  EXPECT_EQ(nearest_name("ReduceMeann", kNames), "ReduceMean");
  EXPECT_EQ(nearest_name("sm", kNames), "sum");
}

TEST(NearestName, LetterCaseCostsNothing) {
  EXPECT_EQ(nearest_name("reducemin", kNames), "ReduceMin");
  EXPECT_EQ(nearest_name("MAX", kNames), "max");
}

TEST(NearestName, ASwapCountsAsOne) {
  constexpr std::string_view kPair[] = {"abcdxy", "abcd"};
  // "abcdyx" is one swap from the first and two deletions from the second.
  EXPECT_EQ(nearest_name("abcdyx", kPair), "abcdxy");
}

TEST(NearestName, TheFirstOfEquallyNear) {
  constexpr std::string_view kPair[] = {"bax", "bay"};
  EXPECT_EQ(nearest_name("baz", kPair), "bax");
}

TEST(NearestName, NothingWhenAllAreFar) {
  EXPECT_EQ(nearest_name("Convolution", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("foo", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("max", {}), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(100000, 'm'), kNames), std::nullopt);
}

}  // namespace
}  // namespace tenfold
