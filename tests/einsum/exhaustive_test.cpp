// Every equation of up to three operands whose terms have up to three of the letters a, b, c,
// repeated ones too, against the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "support/einsum.hpp"
#include "support/pace.hpp"

namespace tenfold::testing {
namespace {

constexpr int kMostFailures = 5;
constexpr std::string_view kLetters = "abc";

// "", "a", "b", … "ccc".
std::vector<std::string> all_terms() {
  std::vector<std::string> terms = {""};
  for (std::size_t i = 0; i < terms.size() && terms[i].size() < kLetters.size(); ++i)
    for (const char c : kLetters) terms.push_back(terms[i] + c);
  return terms;
}

// Every output that the letters of `inputs` allow: any of them, in any order, none twice.
std::vector<std::string> all_outputs(const std::string& inputs) {
  std::vector<std::string> outputs;
  for (const std::string& term : all_terms()) {
    bool allowed = true;
    for (const char c : term)
      allowed &= inputs.find(c) != inputs.npos && std::ranges::count(term, c) == 1;
    if (allowed) outputs.push_back(term);
  }
  return outputs;
}

class EinsumExhaustive : public ::testing::TestWithParam<int> {
 protected:
  // One equation with extents, a type and stretched axes that its number decides.
  void check(const std::string& equation) {
    if (failures_ >= kMostFailures) return;
    constexpr std::array<std::array<std::int64_t, 3>, 8> kSizes = {
        {{2, 3, 4}, {3, 1, 2}, {5, 2, 3}, {1, 4, 3}, {4, 3, 0}, {2, 9, 5}, {17, 2, 3}, {3, 5, 8}}};
    constexpr std::array kTypes = {DType::kF32, DType::kI32, DType::kF64, DType::kI8,
                                   DType::kC64, DType::kF16, DType::kI64, DType::kBool};
    const std::array<std::int64_t, 3>& sizes = kSizes[static_cast<std::size_t>(random_.below(8))];
    const DType dtype = kTypes[static_cast<std::size_t>(random_.below(8))];
    std::vector<Tensor> operands;
    for (const std::string& term : split_terms(equation)) {
      Dims shape;
      for (const char c : term) {
        const std::int64_t extent = sizes[kLetters.find(c)];
        const bool stretched = std::ranges::count(term, c) == 1 && random_.below(8) == 0;
        shape.push_back(stretched ? 1 : extent);
      }
      operands.push_back(random_operand(dtype, shape, random_));
    }
    expect_right(equation, operands);
  }

  void expect_right(const std::string& equation, const std::vector<Tensor>& operands) {
    const std::vector<TensorView> views = views_of(operands);
    std::string wrong;
    try {
      wrong = mismatch(equation, views, run_plan({.equation = equation}, views));
    } catch (const std::exception& e) {
      wrong = problem_string(equation, views) + ": " + e.what();
    }
    if (wrong.empty()) return;
    ++failures_;
    ADD_FAILURE() << wrong;
  }

  Random random_{static_cast<std::uint64_t>(GetParam())};
  int failures_ = 0;
};

// Each part has an eighth of the first terms, so that the parts can run side by side.
constexpr int kParts = 8;
bool belongs(std::size_t term, int part) { return static_cast<int>(term % kParts) == part; }

TEST_P(EinsumExhaustive, OneOperand) {
  const std::vector<std::string> terms = all_terms();
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (belongs(i, GetParam()))
      for (const std::string& output : all_outputs(terms[i]))
        for (int round = 0; round < 8; ++round) check(terms[i] + "->" + output);
}

TEST_P(EinsumExhaustive, TwoOperandsAndEveryOutput) {
  const std::vector<std::string> terms = all_terms();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (!belongs(i, GetParam())) continue;
    for (const std::string& second : terms)
      for (const std::string& output : all_outputs(terms[i] + second))
        for (int round = 0; round < 3; ++round)
          if (!kSanitized || random_.below(24) == 0) check(terms[i] + "," + second + "->" + output);
  }
}

TEST_P(EinsumExhaustive, ThreeOperandsAndAnOutput) {
  const std::vector<std::string> terms = all_terms();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (!belongs(i, GetParam())) continue;
    for (const std::string& second : terms)
      for (const std::string& third : terms) {
        if (kSanitized && random_.below(16) != 0) continue;
        const auto outputs = all_outputs(terms[i] + second + third);
        const auto chosen = random_.below(static_cast<std::int64_t>(outputs.size()));
        check(terms[i] + "," + second + "," + third + "->" +
              outputs[static_cast<std::size_t>(chosen)]);
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, EinsumExhaustive, ::testing::Range(0, kParts));

TEST(EinsumEquations, AreAllThere) {
  EXPECT_EQ(all_terms().size(), 40u);
  EXPECT_EQ(all_outputs("abc").size(), 16u);
  EXPECT_EQ(all_outputs("ab"), (std::vector<std::string>{"", "a", "b", "ab", "ba"}));
}

}  // namespace
}  // namespace tenfold::testing
