#include "graph/plan_cache.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tenfold::graph {
namespace {

// A plan that says which one it is.
struct Numbered {
  int number;
};

class PlanCaches : public ::testing::Test {
 protected:
  int get(const std::string& key, std::initializer_list<TensorView> views) {
    return cache_
        .get(key, std::span(views.begin(), views.size()), [&] { return Numbered{++made_}; })
        ->number;
  }
  PlanCache<Numbered, std::string> cache_;
  int made_ = 0;
};

const TensorView kRows(nullptr, DType::kF32, {2, 3});

TEST_F(PlanCaches, MakeAPlanOnceForAKeyAndLayouts) {
  EXPECT_EQ(cache_.newest(), nullptr);
  EXPECT_EQ(get("a", {kRows}), 1);
  EXPECT_EQ(get("a", {kRows}), 1);
  EXPECT_EQ(cache_.newest()->number, 1);
  EXPECT_EQ(get("b", {kRows}), 2);
  EXPECT_EQ(cache_.newest()->number, 2);
  EXPECT_EQ(get("a", {kRows}), 1);
}

TEST_F(PlanCaches, TellLayoutsApart) {
  EXPECT_EQ(get("", {kRows}), 1);
  EXPECT_EQ(get("", {TensorView(nullptr, DType::kF64, {2, 3})}), 2);
  EXPECT_EQ(get("", {TensorView(nullptr, DType::kF32, {2, 3}, {1, 2})}), 3);
  EXPECT_EQ(get("", {TensorView(nullptr, DType::kF32, {2, 3, 1})}), 4);
  EXPECT_EQ(get("", {TensorView(nullptr, DType::kF32, {})}), 5);
  EXPECT_EQ(get("", {}), 6);
  EXPECT_EQ(get("", {kRows, kRows}), 7);
  EXPECT_EQ(get("", {kRows}), 1);
  EXPECT_EQ(get("", {kRows, kRows}), 7);
}

TEST_F(PlanCaches, KeepAFewPlans) {
  get("", {kRows});
  for (std::int64_t n = 1; n < 20; ++n) get("", {TensorView(nullptr, DType::kF32, {n})});
  EXPECT_EQ(get("", {kRows}), 21);  // long pushed out
  EXPECT_EQ(get("", {TensorView(nullptr, DType::kF32, {19})}), 20);
}

TEST_F(PlanCaches, ForgetNothingWhenAPlanCannotBeMade) {
  get("", {kRows});
  EXPECT_THROW(cache_.get("bad", {}, []() -> Numbered { throw 1; }), int);
  EXPECT_EQ(get("", {kRows}), 1);
}

}  // namespace
}  // namespace tenfold::graph
