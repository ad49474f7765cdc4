#include <gtest/gtest.h>

#include <string>

#include "core/utf8.hpp"
#include "tenfold/error.hpp"

namespace tenfold {
namespace {

// A mark under the first `part` of the equation, or under the one after `from`.
ErrorMark under(const std::string& equation, const std::string& part, std::string note,
                std::size_t from = 0) {
  ErrorMark mark;
  mark.offset = static_cast<int>(equation.find(part, from));
  mark.length = static_cast<int>(part.size());
  mark.note = std::move(note);
  return mark;
}

TEST(ErrorPicture, HasACaretUnderEachMarkAndTheLastNoteFirst) {
  const std::string e = "ijk,kl->ijl";
  const ErrorPlace place{e, {under(e, "k", "left"), under(e, "k", "right", 3)}, "k"};
  EXPECT_EQ(picture_of(place),
            "  ijk,kl->ijl\n"
            "    ^ ^\n"
            "    | right\n"
            "    left");
}

TEST(ErrorPicture, TakesMarksInAnyOrderAndWithoutNotes) {
  const std::string e = "ab,cd,ef";
  const ErrorPlace place{
      e, {under(e, "ef", "three"), under(e, "ab", "one"), under(e, "cd", ""), under(e, "d", "x")}};
  EXPECT_EQ(picture_of(place),
            "  ab,cd,ef\n"
            "  ^^ ^^ ^^\n"
            "  |   | three\n"
            "  |   x\n"
            "  one");
}

TEST(ErrorPicture, KeepsWordsClearOfTheBars) {
  EXPECT_EQ(picture_of({"ii",
                        {{.offset = 0, .length = 1, .note = "one"},
                         {.offset = 1, .length = 1, .note = "two"}}}),
            "  ii\n"
            "  ^^\n"
            "  | two\n"
            "  one");
}

TEST(ErrorPicture, PointsBehindTheEndAndIntoNothing) {
  EXPECT_EQ(picture_of({"ij", {{.offset = 2, .note = "here"}}}), "  ij\n    ^\n    here");
  EXPECT_EQ(picture_of({"", {{.note = "here"}}}), "\n  ^\n  here");
  EXPECT_EQ(picture_of({"ij", {}}), "  ij\n");
  // Marks that no parser makes are brought into the equation.
  EXPECT_EQ(picture_of({"ij", {{.offset = 9, .length = 3, .note = "a"}}}), "  ij\n    ^\n    a");
  EXPECT_EQ(picture_of({"ij", {{.offset = -1, .length = -1, .note = "a"}}}), "  ij\n  ^\n  a");
  EXPECT_EQ(picture_of({"éi", {{.offset = 1, .length = 1, .note = "a"}}}), "  éi\n   ^\n   a");
}

TEST(ErrorPicture, CountsColumnsNotBytes) {
  const std::string e = "αβ漢,漢γ->αβγ";
  EXPECT_EQ(picture_of({e, {under(e, "β", "b"), under(e, "漢", "c", 7)}}),
            "  αβ漢,漢γ->αβγ\n"
            "   ^   ^^\n"
            "   |   c\n"
            "   b");
  // A combining mark alone stands on a dotted circle.
  const std::string combining = "e\xCC\x81i";
  EXPECT_EQ(picture_of({combining, {under(combining, "i", "here")}}),
            "  e\xE2\x97\x8C\xCC\x81i\n"
            "    ^\n"
            "    here");
}

TEST(ErrorPicture, ShowsNothingThatMovesTheCursor) {
  const std::string e = std::string("a\tb\x1B[2J\x7F\xC2\x85\xE2\x80\xAE\xFF") + '\0' + "z";
  EXPECT_EQ(picture_of({e, {under(e, "z", "here")}}),
            "  a␉b␛[2J␡\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD␀z\n"
            "              ^\n"
            "              here");
}

TEST(ErrorPicture, ShowsOfALongEquationWhatIsNearTheMarks) {
  const std::string far(1000, 'x');
  const std::string e = far + "k," + far + "l->" + far;
  const ErrorPlace place{e, {under(e, "k", "one"), under(e, "l", "two")}};
  const std::string x16(16, 'x');
  EXPECT_EQ(picture_of(place), "  …" + x16 + "k," + std::string(15, 'x') + "…" + x16 + "l->" +
                                   std::string(14, 'x') + "…\n" +
                                   "                   ^                                 ^\n"
                                   "                   |                                 two\n"
                                   "                   one");
}

TEST(ErrorPicture, JoinsPiecesThatMeet) {
  const std::string e = std::string(100, 'x') + "k,k" + std::string(100, 'y');
  const ErrorPlace place{e, {under(e, "k", "one"), under(e, "k", "two", 101)}};
  EXPECT_EQ(picture_of(place), "  …" + std::string(16, 'x') + "k,k" + std::string(16, 'y') +
                                   "…\n"
                                   "                   ^ ^\n"
                                   "                   | two\n"
                                   "                   one");
}

TEST(ErrorPicture, CutsALongMark) {
  const std::string e = "ab," + std::string(500, 'x') + "->a";
  EXPECT_EQ(picture_of({e, {{.offset = 3, .length = 500, .note = "many"}}}),
            "  ab," + std::string(24, 'x') + "…\n" + "     " + std::string(24, '^') +
                "\n"
                "     many");
}

TEST(ErrorPicture, ShowsTheBeginningWhenThereIsNoMark) {
  EXPECT_EQ(picture_of({std::string(200, 'x'), {}}), "  " + std::string(76, 'x') + "…\n");
}

TEST(ErrorPicture, IsShortAndWholeForAnyBytes) {
  std::string e;
  for (int i = 0; i < 4096; ++i) e += static_cast<char>(i * 37 ^ i >> 3);
  for (int offset = 0; offset < 4096; offset += 5) {
    const std::string picture = picture_of({e, {{.offset = offset, .length = offset % 7}}});
    EXPECT_LT(picture.size(), 1000u);
    for (std::size_t at = 0; at < picture.size();) {
      const utf8::Character character = utf8::decode(picture, at);
      ASSERT_TRUE(character.valid && (character.code >= ' ' || character.code == '\n')) << offset;
      at += static_cast<std::size_t>(character.bytes);
    }
    EXPECT_NE(picture.find('^'), std::string::npos);
  }
}

TEST(ErrorPlace, StaysWithTheErrorAndItsCopies) {
  const std::string e = "ij->k";
  const Error error(ErrorCode::kEquationOutput, "einsum", "no such label", "a label", "'k'",
                    ErrorPlace{e, {under(e, "k", "in no operand")}, "k"});
  EXPECT_STREQ(error.what(),
               "[einsum] no such label: expected a label, got 'k'\n"
               "  ij->k\n"
               "      ^\n"
               "      in no operand");
  const Error outer = error.within("node 'n'");
  EXPECT_STREQ(outer.what(),
               "[node 'n': einsum] no such label: expected a label, got 'k'\n"
               "  ij->k\n"
               "      ^\n"
               "      in no operand");
  ASSERT_NE(outer.place(), nullptr);
  EXPECT_EQ(outer.place(), error.place());
  EXPECT_EQ(outer.place()->label, "k");
  EXPECT_EQ(Error(ErrorCode::kFile, "f", "gone").place(), nullptr);
}

TEST(ErrorCodes, OfEquationsAreMistakesOfTheData) {
  EXPECT_EQ(name_of(ErrorCode::kEquationSyntax), "equation-syntax");
  EXPECT_EQ(name_of(ErrorCode::kEquationOperands), "equation-operands");
  EXPECT_EQ(name_of(ErrorCode::kEquationRank), "equation-rank");
  EXPECT_EQ(name_of(ErrorCode::kEquationSize), "equation-size");
  EXPECT_EQ(name_of(ErrorCode::kEquationOutput), "equation-output");
  for (const ErrorCode code : {ErrorCode::kEquationSyntax, ErrorCode::kEquationOutput})
    EXPECT_EQ(kind_of(code), ErrorKind::kInvalid);
}

}  // namespace
}  // namespace tenfold
