#include "einsum/plan_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace tenfold::einsum_detail {
namespace {

using List = PlanList<int, 4>;

std::vector<int> values(const List& list) { return {list.begin(), list.end()}; }

TEST(PlanList, IsAVectorWhateverIsDoneToIt) {
  std::mt19937 random(1);
  List list;
  std::vector<int> expected;
  for (int i = 0; i < 5000; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(random() % (expected.size() + 1));
    switch (random() % 8) {
      case 0:
      case 1:
        list.push_back(i);
        expected.push_back(i);
        break;
      case 2:
        list.insert(list.begin() + at, i);
        expected.insert(expected.begin() + at, i);
        break;
      case 3: {
        const std::vector<int> more{i, -i, i + 1};
        list.insert(list.begin() + at, more.begin(), more.end());
        expected.insert(expected.begin() + at, more.begin(), more.end());
        break;
      }
      case 4:
        list.erase(list.begin() + at, list.end());
        expected.erase(expected.begin() + at, expected.end());
        break;
      case 5:
        erase_if(list, [](int x) { return x % 3 == 0; });
        std::erase_if(expected, [](int x) { return x % 3 == 0; });
        break;
      case 6:
        list.resize(static_cast<std::size_t>(at) + 2, i);
        expected.resize(static_cast<std::size_t>(at) + 2, i);
        break;
      default:
        if (expected.empty()) break;
        list.pop_back();
        expected.pop_back();
    }
    ASSERT_EQ(values(list), expected);
    ASSERT_TRUE(std::equal(list.rbegin(), list.rend(), expected.rbegin(), expected.rend()));
    ASSERT_EQ(list.empty(), expected.empty());
  }
}

TEST(PlanList, CopiesAreApartAndMovesLeaveNothing) {
  for (const List& one : {List{1, 2}, List{1, 2, 3, 4, 5, 6}}) {
    List copy = one, assigned{7, 8, 9, 10, 11};
    assigned = copy;
    copy[0] = 5;
    EXPECT_EQ(values(assigned), values(one));
    EXPECT_FALSE(copy == one);
    List moved = std::move(assigned);
    EXPECT_EQ(moved, one);
    EXPECT_TRUE(assigned.empty());  // NOLINT(bugprone-use-after-move)
    assigned.push_back(3);
    EXPECT_EQ(values(assigned), std::vector<int>{3});
    assigned = std::move(moved);
    EXPECT_EQ(assigned, one);
  }
}

TEST(PlanList, TakesAnElementOfItsOwn) {
  List list{1, 2, 3, 4};
  list.push_back(list.front());
  list.insert(list.begin(), list.back());
  EXPECT_EQ(values(list), (std::vector<int>{1, 1, 2, 3, 4, 1}));
}

}  // namespace
}  // namespace tenfold::einsum_detail
