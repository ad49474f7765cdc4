// The text of every error about equations, word for word, and what its fields say.
#include "einsum/equation_errors.hpp"

#include <gtest/gtest.h>

#include "einsum/equation_testing.hpp"
#include "einsum/labels.hpp"

namespace tenfold::einsum_detail {
namespace {

using namespace testing;

TEST(EquationErrors, TwoSizes) {
  constexpr auto kCode = ErrorCode::kEquationSize;
  expect_error(onnx("ijk,kl->ijl"), {{2, 3, 4}, {3, 5}}, kCode,
               R"([Einsum-12] label 'k' has two sizes: expected equal sizes, or 1, got 4 and 3
  ijk,kl->ijl
    ^ ^
    | size 3 in operand 1, axis 0, shape (3, 5)
    size 4 in operand 0, axis 2, shape (2, 3, 4))");
  // The first operand that is not stretched is the one to compare with.
  expect_error(openvino("i, i, i"), {{1}, {0}, {3}}, kCode,
               R"([Einsum-7] label 'i' has two sizes: expected equal sizes, or 1, got 0 and 3
  i, i, i
     ^  ^
     |  size 3 in operand 2, axis 0, shape (3,)
     size 0 in operand 1, axis 0, shape (0,))");
  expect_error(numpy("αβ,βγ"), {{2, 3}, {4, 5}}, kCode,
               R"([einsum] label 'β' has two sizes: expected equal sizes, or 1, got 3 and 4
  αβ,βγ
   ^ ^
   | size 4 in operand 1, axis 0, shape (4, 5)
   size 3 in operand 0, axis 1, shape (2, 3))");
  expect_error(lists({{0, 10}, {10, 2}}, {{0, 2}}), {{2, 3}, {4, 5}}, kCode,
               R"([einsum] label '10' has two sizes: expected equal sizes, or 1, got 3 and 4
  [0, 10], [10, 2] -> [0, 2]
      ^^    ^^
      |     size 4 in operand 1, axis 0, shape (4, 5)
      size 3 in operand 0, axis 1, shape (2, 3))");
}

TEST(EquationErrors, TwoSizesOfAnEllipsis) {
  expect_error(
      numpy("i...,...j->"), {{2, 6, 3, 4}, {5, 4, 7}}, ErrorCode::kEquationSize,
      R"([einsum] axis -2 of the ellipsis has two sizes: expected equal sizes, or 1, got 3 and 5
  i...,...j->
   ^^^ ^^^
   |   size 5 in operand 1, axis 0, shape (5, 4, 7)
   size 3 in operand 0, axis 2, shape (2, 6, 3, 4))");
  const auto error = error_of(numpy("i...,...j->"), {{2, 6, 3, 4}, {5, 4, 7}});
  EXPECT_EQ(error->place()->label, "...");
}

TEST(EquationErrors, TwoSizesOfADiagonal) {
  constexpr auto kCode = ErrorCode::kEquationSize;
  expect_error(
      onnx("ii->i", 28), {{3, 1}}, kCode,
      R"([Einsum-28] label 'i' has two sizes in one operand: expected equal sizes along a diagonal, got 3 and 1
  ii->i
  ^^
  | size 1 in operand 0, axis 1, shape (3, 1)
  size 3 in operand 0, axis 0, shape (3, 1))");
  expect_error(
      numpy("j,i...ji"), {{4}, {2, 9, 9, 4, 3}}, kCode,
      R"([einsum] label 'i' has two sizes in one operand: expected equal sizes along a diagonal, got 2 and 3
  j,i...ji
    ^    ^
    |    size 3 in operand 1, axis 4, shape (2, 9, 9, 4, 3)
    size 2 in operand 1, axis 0, shape (2, 9, 9, 4, 3))");
}

TEST(EquationErrors, TermsAndOperands) {
  constexpr auto kCode = ErrorCode::kEquationOperands;
  expect_error(numpy("ij,jk->ik"), {{2, 3}, {3, 5}, {4, 4}}, kCode,
               R"([einsum] 2 terms for 3 operands: expected one term for each operand
  ij,jk->ik
       ^
       operand 2, shape (4, 4), has no term)");
  expect_error(onnx("ij,jk,k->ik"), {{2, 3}, {3, 5}}, kCode,
               R"([Einsum-12] 3 terms for 2 operands: expected one term for each operand
  ij,jk,k->ik
        ^
        there is no operand 2)");
  expect_error(numpy("ij,"), {{2, 3}}, kCode,
               R"([einsum] 2 terms for 1 operand: expected one term for each operand
  ij,
     ^
     there is no operand 1)");
  expect_error(numpy(""), {}, kCode,
               "[einsum] 1 term for 0 operands: expected one term for each operand\n"
               "\n"
               "  ^\n"
               "  there is no operand 0");
  expect_error(lists({}), {{2}}, kCode,
               "[einsum] 0 terms for 1 operand: expected one term for each operand\n"
               "\n"
               "  ^\n"
               "  operand 0, shape (2,), has no term");
  expect_error(lists({}, {{0}}), {{2}}, kCode,
               R"([einsum] 0 terms for 1 operand: expected one term for each operand
  -> [0]
  ^
  operand 0, shape (2,), has no term)");
}

TEST(EquationErrors, Rank) {
  constexpr auto kCode = ErrorCode::kEquationRank;
  expect_error(onnx("ijk, jk"), {{2, 3}, {3, 5}}, kCode,
               R"([Einsum-12] term 'ijk' does not fit operand 0: expected 3 axes, got 2
  ijk, jk
  ^^^
  operand 0 has rank 2, shape (2, 3))");
  expect_error(numpy("ijk, j "), {{2, 3, 4}, {3, 5}}, kCode,
               R"([einsum] term 'j' does not fit operand 1: expected 1 axis, got 2
  ijk, j
       ^
       operand 1 has rank 2, shape (3, 5))");
  expect_error(numpy("i...jk"), {{2, 3}}, kCode,
               R"([einsum] term 'i...jk' does not fit operand 0: expected at least 3 axes, got 2
  i...jk
  ^^^^^^
  operand 0 has rank 2, shape (2, 3))");
  expect_error(lists({{0, 1, 2}}, {{0}}), {{2, 3}}, kCode,
               R"([einsum] term '[0, 1, 2]' does not fit operand 0: expected 3 axes, got 2
  [0, 1, 2] -> [0]
  ^^^^^^^^^
  operand 0 has rank 2, shape (2, 3))");
  expect_error(numpy("i"), {{}}, kCode,
               R"([einsum] term 'i' does not fit operand 0: expected 1 axis, got 0
  i
  ^
  operand 0 has rank 0, shape ())");
  expect_error(numpy("i, ->i"), {{3}, {2}}, kCode,
               R"([einsum] the term of operand 1 is empty: expected 1 label, got none
  i, ->i
    ^
    operand 1 has rank 1, shape (2,))");
  for (const EinsumSpec& spec : {onnx(""), onnx(" ")})
    expect_error(spec, {{2, 3}}, kCode,
                 "[Einsum-12] the equation is empty: expected 2 labels, got none\n"
                 "\n"
                 "  ^\n"
                 "  operand 0 has rank 2, shape (2, 3)");
  expect_error(numpy("->"), {{2, 3}}, kCode,
               R"([einsum] the term of operand 0 is empty: expected 2 labels, got none
  ->
  ^
  operand 0 has rank 2, shape (2, 3))");
  expect_error(lists({{}}), {{2, 3}}, kCode,
               R"([einsum] the term of operand 0 is empty: expected 2 labels, got none
  []
  ^^
  operand 0 has rank 2, shape (2, 3))");
}

TEST(EquationErrors, EllipsisRanksInOnnx) {
  expect_error(
      onnx("...i,i,i...->", 13), {{2, 3, 4}, {4}, {4, 3}}, ErrorCode::kEquationRank,
      R"([Einsum-12] the ellipsis stands for different numbers of axes: expected the same number in every operand, got 2 and 1
  ...i,i,i...->
  ^^^     ^^^
  |       1 axis in operand 2, shape (4, 3)
  2 axes in operand 0, shape (2, 3, 4))");
}

TEST(EquationErrors, Output) {
  constexpr auto kCode = ErrorCode::kEquationOutput;
  expect_error(onnx("ij->iz"), {{2, 3}}, kCode,
               R"([Einsum-12] output label 'z' is in no operand: expected a label of an operand
  ij->iz
       ^
       in no operand)");
  expect_error(numpy("i j -> i j i"), {{2, 3}}, kCode,
               R"([einsum] output label 'i' stands twice: expected each label at most once
  i j -> i j i
         ^   ^
         |   the second
         the first)");
  expect_error(lists({{0, 1}}, {{0, 70}}), {{2, 3}}, kCode,
               R"([einsum] output label '70' is in no operand: expected a label of an operand
  [0, 1] -> [0, 70]
                ^^
                in no operand)");
  expect_error(lists({{0, 11, 1}}, {{11, 1, 0, 1}}), {{2, 3, 4}}, kCode,
               R"([einsum] output label '1' stands twice: expected each label at most once
  [0, 11, 1] -> [11, 1, 0, 1]
                     ^     ^
                     |     the second
                     the first)");
}

TEST(EquationErrors, TwoEllipses) {
  constexpr auto kCode = ErrorCode::kEquationSyntax;
  expect_error(onnx("j,...i...->i"), {{2}, {3, 4}}, kCode,
               R"([Einsum-12] two ellipses in one term: expected at most one
  j,...i...->i
    ^^^ ^^^
    |   the second
    the first)");
  expect_error(numpy("i->...i..."), {{2}}, kCode,
               R"([einsum] two ellipses in one term: expected at most one
  i->...i...
     ^^^ ^^^
     |   the second
     the first)");
  expect_error(lists({{0}, {kEllipsis, 0, kEllipsis}}), {{2}, {3}}, kCode,
               R"([einsum] two ellipses in one term: expected at most one
  [0], [..., 0, ...]
        ^^^     ^^^
        |       the second
        the first)");
  expect_error(lists({{0}}, {{kEllipsis, kEllipsis}}), {{2}}, kCode,
               R"([einsum] two ellipses in one term: expected at most one
  [0] -> [..., ...]
          ^^^  ^^^
          |    the second
          the first)");
}

TEST(EquationErrors, NegativeLabel) {
  constexpr auto kCode = ErrorCode::kEquationSyntax;
  expect_error(lists({{0, -2}}), {{2, 3}}, kCode,
               R"([einsum] a label is negative: expected 0 or more, or -1 for an ellipsis, got -2
  [0, -2]
      ^^
      negative)");
  expect_error(
      lists({{0, 1}}, {{-2147483647 - 1}}), {{2, 3}}, kCode,
      R"([einsum] a label is negative: expected 0 or more, or -1 for an ellipsis, got -2147483648
  [0, 1] -> [-2147483648]
             ^^^^^^^^^^^
             negative)");
}

TEST(EquationErrors, Limits) {
  expect_error(
      numpy("i,j,k->ijk"), {{1 << 30}, {1 << 30}, {1 << 30}}, ErrorCode::kSizeOverflow,
      R"([einsum] the output has too many elements: expected a product of extents below 2^63, got shape (1073741824, 1073741824, 1073741824)
  i,j,k->ijk
         ^^^
         shape (1073741824, 1073741824, 1073741824))");
  // Also beside an extent of 0, as for the shape of any tensor.
  EXPECT_EQ(error_of(numpy("l,i,j,k->lijk"), {{0}, {1 << 30}, {1 << 30}, {1 << 30}})->code(),
            ErrorCode::kSizeOverflow);
  // What is summed may be as large as it likes.
  EXPECT_EQ(parse_equation(numpy("i,j,k->"), Shapes{{1 << 30}, {1 << 30}, {1 << 30}}).text(),
            "i,j,k->");
  expect_error(numpy("ij"), {{2, -1}}, ErrorCode::kSizeOverflow,
               R"([einsum] negative extent: expected extents of 0 or more, got -1
  ij
   ^
   size -1 in operand 0, axis 1, shape (2, -1))");
  // 65 axes: one more than there may be.
  Lists labels;
  for (int i = 0; i < 65; ++i) labels.push_back({i});
  const Shapes shapes(65, Dims{2});
  const auto error = error_of(lists(labels), shapes);
  EXPECT_EQ(error->code(), ErrorCode::kRankTooLarge);
  EXPECT_EQ(std::string(error->what()),
            "[einsum] the output has too many axes: expected at most 64, got 65\n"
            "  …[62], [63], [64]\n"
            "                   ^\n"
            "                   65 axes");
}

TEST(EquationErrors, OutputOf65Axes) {
  Lists labels;
  std::vector<int> all;
  for (int i = 0; i < 65; ++i) {
    labels.push_back({i});
    all.push_back(i);
  }
  const auto error = error_of(lists(labels, all), Shapes(65, Dims{2}));
  EXPECT_EQ(error->code(), ErrorCode::kRankTooLarge);
  ASSERT_EQ(error->place()->marks.size(), 1u);
  const ErrorMark& mark = error->place()->marks[0];
  EXPECT_EQ(mark.size, 65);
  EXPECT_EQ(error->place()->equation[static_cast<std::size_t>(mark.offset) - 1], ' ');
  EXPECT_EQ(static_cast<std::size_t>(mark.offset + mark.length), error->place()->equation.size());
}

TEST(EquationErrors, FieldsSayWhatThePictureShows) {
  const auto error = error_of(onnx(" i j k , k l -> i j l "), {{2, 3, 4}, {3, 5}});
  EXPECT_EQ(error->where(), "Einsum-12");
  EXPECT_EQ(error->expected(), "equal sizes, or 1");
  EXPECT_EQ(error->got(), "4 and 3");
  const ErrorPlace& place = *error->place();
  EXPECT_EQ(place.equation, " i j k , k l -> i j l ");
  EXPECT_EQ(place.label, "k");
  ASSERT_EQ(place.marks.size(), 2u);
  const auto check = [](const ErrorMark& mark, int offset, int length, int operand, int axis,
                        std::int64_t size) {
    EXPECT_EQ(mark.offset, offset);
    EXPECT_EQ(mark.length, length);
    EXPECT_EQ(mark.operand, operand);
    EXPECT_EQ(mark.axis, axis);
    EXPECT_EQ(mark.size, size);
  };
  check(place.marks[0], 5, 1, 0, 2, 4);
  check(place.marks[1], 9, 1, 1, 0, 3);
  EXPECT_EQ(place.marks[1].note, "size 3 in operand 1, axis 0, shape (3, 5)");

  check(error_of(numpy("αβ,γ"), {{2, 3}, {3, 5}})->place()->marks[0], 5, 2, 1, -1, 2);  // rank
  check(error_of(numpy("ij,k"), {{2, 3}})->place()->marks[0], 3, 1, 1, -1, -1);     // no operand
  check(error_of(numpy("ij"), {{2, 3}, {4}})->place()->marks[0], 2, 0, 1, -1, -1);  // no term
  check(error_of(numpy("ij->k"), {{2, 3}})->place()->marks[0], 4, 1, -1, -1, -1);
  check(error_of(numpy("a;b"), {{2, 3}})->place()->marks[0], 1, 1, -1, -1, -1);
  check(error_of(onnx("...,..."), {{2, 3}, {3}})->place()->marks[1], 4, 3, 1, -1, 1);
}

TEST(EquationErrors, AreNamedByTheSpecsLabel) {
  EinsumSpec spec = onnx("ij->k");
  spec.label = "node 'scores' Einsum-12";
  EXPECT_EQ(error_of(spec, {{2, 3}})->where(), "node 'scores' Einsum-12");
}

TEST(EquationErrors, ComeInTheOrderOfReading) {
  // Writing before counts, counts before ranks, ranks before sizes, sizes before the output.
  const auto code = [](const std::string& equation, const Shapes& shapes) {
    return name_of(error_of(numpy(equation), shapes)->code());
  };
  EXPECT_EQ(code("ij,ik,;->zz", {{2}, {3, 4}}), "equation-syntax");
  EXPECT_EQ(code("ij,ik,->zz", {{2}, {3, 4}}), "equation-operands");
  EXPECT_EQ(code("ij,ik->zz", {{2}, {3, 4}}), "equation-rank");
  EXPECT_EQ(code("ij,ik->zz", {{2, 2}, {3, 4}}), "equation-size");
  EXPECT_EQ(code("ij,ik->zz", {{3, 2}, {3, 4}}), "equation-output");
}

TEST(EquationErrors, OfALongEquationStayShort) {
  std::string equation;
  Shapes shapes;
  for (int i = 0; i < 2000; ++i) {
    equation += (i > 0 ? "," : "") + symbol_of(i) + symbol_of(i + 1);
    shapes.push_back({2, i == 1000 ? 3 : 2});
  }
  const auto error = error_of(numpy(equation), shapes);
  const std::string label = symbol_of(1001);
  EXPECT_EQ(error->place()->equation, equation);
  EXPECT_EQ(error->place()->label, label);
  EXPECT_LT(std::string(error->what()).size(), 500u);
  EXPECT_NE(std::string(error->what()).find(label + "," + label), std::string::npos);
}

}  // namespace
}  // namespace tenfold::einsum_detail
