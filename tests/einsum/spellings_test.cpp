// One equation spelt in several ways is one problem: implicit outputs, blanks, ellipses, other
// letters, the interleaved form. Each gives the bits of the plain spelling.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/check.hpp"
#include "support/einsum.hpp"
#include "tenfold/error.hpp"

namespace tenfold::testing {
namespace {

struct Spelling {
  Dialect dialect;
  const char *spelt, *plain;  // of operands with the shapes of the plain spelling's letters
};

constexpr Dialect kOnnx = Dialect::kOnnx, kOpenVino = Dialect::kOpenVino, kNumpy = Dialect::kNumpy;

const Spelling kSpellings[] = {
    {kOnnx, "ab,bc", "ab,bc->ac"},
    {kOnnx, "cb,ba", "cb,ba->ac"},
    {kOnnx, "ba", "ba->ab"},
    {kOnnx, "aba", "aba->b"},
    {kOnnx, "Ba,aB", "ab,ba->"},
    {kOnnx, "bA", "ba->ab"},
    {kOnnx, "Ab", "ab->ab"},
    {kOnnx, " a b , b c - > a c ", "ab,bc->ac"},
    {kOnnx, "...b,...bc->...c", "ab,abc->ac"},
    {kOnnx, ". ..bc", "abc->abc"},
    {kOnnx, "a...,a...->...", "abc,abc->bc"},
    {kOnnx, "a...c->...", "abc->b"},
    {kOnnx, "...->...", "abc->abc"},
    {kOnnx, "...c->c", "abc->c"},
    {kOnnx, "ab...->ba", "abc->ba"},
    {kOnnx, "ab,bc->ac...", "ab,bc->ac"},
    {kOpenVino, "ab,bc", "ab,bc->ac"},
    {kOpenVino, "...bc,cd", "abc,cd->abd"},
    {kOpenVino, "...b,...b->...", "ab,b->a"},
    {kOpenVino, "a...,...", "abc,c->bca"},
    {kNumpy, "ab,bc", "ab,bc->ac"},
    {kNumpy, "  ab ,bc -> ca", "ab,bc->ca"},
    {kNumpy, "...b,...b->...", "ab,b->a"},
    {kNumpy, "...ab,...bc->...ac", "eab,bc->eac"},
    {kNumpy, "a...->a", "abc->a"},
    {kNumpy, "xyz,zwx->wy", "abc,cda->db"},
    {kNumpy, "αβ,βγ->αγ", "ab,bc->ac"},
    {kNumpy, "βα", "ba->ab"},
    {kNumpy, "日本,本->日", "ab,b->a"},
    {kNumpy, "AZ,Zz->zA", "ab,bc->ca"},
};

TEST(EinsumSpellings, GiveTheBitsOfThePlainOne) {
  Random random(61);
  const std::vector<std::int64_t> sizes = {3, 4, 5, 2};
  for (const Spelling& s : kSpellings) {
    const auto operands = random_operands(s.plain, DType::kF32, sizes, random);
    const auto views = views_of(operands);
    const Tensor got = run_plan({.equation = s.spelt, .dialect = s.dialect}, views);
    EXPECT_EQ(mismatch(s.plain, views, got), "") << s.spelt;
    EXPECT_EQ(difference(got, run_plan({.equation = s.plain}, views)), "") << s.spelt;
  }
}

TEST(EinsumSpellings, TheInterleavedForm) {
  Random random(62);
  const auto operands =
      random_operands("abc,cd", DType::kF32, std::vector<std::int64_t>{3, 4, 5, 2}, random);
  const auto views = views_of(operands);
  const auto expect_bits = [&](const EinsumSpec& spec, const char* plain) {
    EXPECT_EQ(difference(run_plan(spec, views), run_plan({.equation = plain}, views)), "") << plain;
  };
  expect_bits({.labels = {{{0, 1, 2}, {2, 3}}}, .output_labels = {{1, 3, 0}}}, "abc,cd->bda");
  expect_bits({.labels = {{{7, 40, 1000000}, {1000000, 9}}}}, "abc,cd->adb");  // sorted: 7, 9, 40
  expect_bits({.labels = {{{kEllipsis, 2}, {2, 3}}}, .output_labels = {{kEllipsis, 3}}},
              "abc,cd->abd");
  expect_bits({.labels = {{{0, 1, 2}, {2, 3}}}, .output_labels = std::vector<int>{}}, "abc,cd->");
}

// Extents of 1 stretch under labels and under the ellipsis.
TEST(EinsumSpellings, StretchedExtents) {
  Random random(63);
  const Tensor a = random_operand(DType::kF32, {3, 1, 5}, random);
  const Tensor b = random_operand(DType::kF32, {1, 4, 5}, random);
  const std::vector<TensorView> views{a, b};
  for (const Dialect dialect : {kOnnx, kOpenVino, kNumpy}) {
    const Tensor got = run_plan({.equation = "...c,...c->...", .dialect = dialect}, views);
    EXPECT_EQ(to_string(got.shape()), "(3, 4)");
    EXPECT_EQ(mismatch("abc,abc->ab", views, got), "");
    EXPECT_EQ(mismatch("abc,abc->bc", views,
                       run_plan({.equation = "abc,abc->bc", .dialect = dialect}, views)),
              "");
  }
}

}  // namespace
}  // namespace tenfold::testing
