#include "io/members.hpp"

#include "io/io_testing.hpp"

namespace tenfold::io::testing {
namespace {

const std::vector<std::string> kNames = {"a", "a.npy", "b.npy", "weight"};

TEST(Members, TheSameNameWinsOverOneWithAnotherSuffix) {
  EXPECT_EQ(choose_member(kNames, "a", ".npy"), 0u);
  EXPECT_EQ(choose_member(kNames, "a.npy", ".npy"), 1u);
  EXPECT_EQ(choose_member(kNames, "b", ".npy"), 2u);
  EXPECT_EQ(choose_member(kNames, "weight.npy", ".npy"), 3u);
  EXPECT_EQ(choose_member(kNames, "b.npy"), 2u);
}

TEST(Members, WithoutASuffixNamesMustBeEqual) {
  expect_error(ErrorCode::kUnknownName, "got 'b'", [] { choose_member(kNames, "b"); });
  expect_error(ErrorCode::kUnknownName, "expected 'weight' (the nearest name), got 'wieght'",
               [] { choose_member(kNames, "wieght"); });
}

TEST(Members, TheOnlyOneNeedsNoName) {
  EXPECT_EQ(choose_member(std::vector<std::string>{"x"}, ""), 0u);
  EXPECT_EQ(choose_member(std::vector<std::string>{""}, ""), 0u);
  expect_error(ErrorCode::kUnknownName, "several tensors", [] { choose_member(kNames, ""); });
  expect_error(ErrorCode::kMalformedData, "no tensor",
               [] { choose_member(std::vector<std::string>{}, ""); });
}

TEST(Members, LongListsAreShortened) {
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back("layer." + std::to_string(i));
  expect_error(ErrorCode::kUnknownName, "'layer.7' and 92 more", [&] { choose_member(names, ""); });
}

}  // namespace
}  // namespace tenfold::io::testing
