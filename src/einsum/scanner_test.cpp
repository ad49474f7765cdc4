// The text of every error about the writing of an equation.
#include "einsum/scanner.hpp"

#include <gtest/gtest.h>

#include "einsum/equation_testing.hpp"

namespace tenfold::einsum_detail {
namespace {

using namespace testing;

TEST(Scanner, DropsBlanksAndKnowsWhereTokensStand) {
  const EinsumSpec spec = numpy(" aβ ,. . . - > ");
  Scanner scanner(spec);
  const auto expect = [&](TokenKind kind, int begin, int end, char32_t label) {
    const Token token = scanner.next();
    EXPECT_EQ(token.kind, kind) << begin;
    EXPECT_EQ(token.begin, begin);
    EXPECT_EQ(token.end, end);
    EXPECT_TRUE(token.label == label) << begin;
  };
  expect(TokenKind::kLabel, 1, 2, U'a');
  expect(TokenKind::kLabel, 2, 4, U'β');
  expect(TokenKind::kComma, 5, 6, 0);
  expect(TokenKind::kEllipsis, 6, 11, 0);
  expect(TokenKind::kArrow, 12, 15, 0);
  expect(TokenKind::kEnd, 16, 16, 0);
  expect(TokenKind::kEnd, 16, 16, 0);
}

TEST(Scanner, Characters) {
  const auto refused = [](const EinsumSpec& spec, const std::string& letters,
                          const std::string& got, const std::string& picture) {
    expect_error(spec, {{2, 3}}, ErrorCode::kEquationSyntax,
                 "[" + operator_name(spec) +
                     "] this character cannot stand in an equation: expected " + letters +
                     ", ',', '->' or '...', got " + got + "\n" + picture);
  };
  const std::string any = "a letter", ascii = "a letter a-z or A-Z";
  refused(numpy("i;j->i"), any, "';' (U+003B)", "  i;j->i\n   ^\n   terms are separated by ','");
  refused(onnx("i\tj->i"), ascii, "'␉' (U+0009)",
          "  i␉j->i\n   ^\n   only plain blanks may stand between");
  refused(numpy("i\xC2\xA0j"), any, "'\xEF\xBF\xBD' (U+00A0)",
          "  i\xEF\xBF\xBDj\n   ^\n   only plain blanks may stand between");
  refused(numpy("i1->i"), any, "'1' (U+0031)",
          "  i1->i\n   ^\n   numbers are labels in the interleaved form only");
  refused(numpy("ij→i"), any, "'→' (U+2192)", "  ij→i\n    ^\n    an arrow is written '->'");
  refused(openvino("…i->i"), ascii, "'…' (U+2026)", "  …i->i\n  ^\n  an ellipsis is written '...'");
  refused(onnx("αj->j"), ascii, "'α' (U+03B1)",
          "  αj->j\n  ^\n  a label in the NumPy dialect only");
  refused(numpy("i😀"), any, "'😀' (U+1F600)", "  i😀\n   ^^\n   not a label");
  refused(numpy(std::string("i\0j", 3)), any, "'␀' (U+0000)", "  i␀j\n   ^\n   not a label");
  refused(onnx("i_j"), ascii, "'_' (U+005F)", "  i_j\n   ^\n   not a label");
}

TEST(Scanner, BrokenUtf8) {
  for (const EinsumSpec& spec : {numpy("i\xC3,j"), onnx("i\xC3,j")})
    expect_error(spec, {{2}, {3}}, ErrorCode::kEquationSyntax,
                 "[" + operator_name(spec) +
                     "] the equation is not valid UTF-8: got byte 0xC3\n"
                     "  i\xEF\xBF\xBD,j\n"
                     "   ^\n"
                     "   byte 0xC3");
}

TEST(Scanner, Dots) {
  constexpr auto kCode = ErrorCode::kEquationSyntax;
  expect_error(onnx("ij->i."), {{2, 3}}, kCode,
               R"([Einsum-12] an ellipsis has three dots: expected '...', got 1 dot
  ij->i.
       ^
       1 dot)");
  expect_error(numpy("i. .j"), {{2, 3}}, kCode,
               R"([einsum] an ellipsis has three dots: expected '...', got 2 dots
  i. .j
   ^^^
   2 dots)");
  expect_error(openvino("......"), {{2, 3}}, kCode,
               R"([Einsum-7] an ellipsis has three dots: expected '...', got 6 dots
  ......
  ^^^^^^
  6 dots)");
}

TEST(Scanner, Arrows) {
  constexpr auto kCode = ErrorCode::kEquationSyntax;
  expect_error(onnx("ij->i - > j"), {{2, 3}}, kCode,
               R"([Einsum-12] two arrows: expected at most one '->'
  ij->i - > j
    ^^  ^^^
    |   the second
    the first)");
  for (const char* equation : {"ij-i", "ij -", "ij--i"})
    expect_error(numpy(equation), {{2, 3}}, kCode,
                 std::string("[einsum] half an arrow: expected '->', got '-'\n  ") + equation +
                     "\n" + (equation[2] == ' ' ? "     ^\n     " : "    ^\n    ") +
                     "an arrow is written '->'");
  expect_error(numpy("ij>i"), {{2, 3}}, kCode,
               R"([einsum] half an arrow: expected '->', got '>'
  ij>i
    ^
    an arrow is written '->')");
  expect_error(numpy("ij->i,j"), {{2, 3}}, kCode,
               R"([einsum] the output has two terms: expected one term after '->'
  ij->i,j
       ^
       the output is one array)");
}

}  // namespace
}  // namespace tenfold::einsum_detail
