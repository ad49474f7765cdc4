#include "core/utf8.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace tenfold::utf8 {
namespace {

TEST(Utf8, ReadsBackEveryCodePoint) {
  std::string text;
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code == 0xD800) code = 0xE000;
    text.clear();
    append(text, code);
    const Character character = decode(text, 0);
    ASSERT_TRUE(character.valid) << static_cast<std::uint32_t>(code);
    ASSERT_TRUE(character.code == code);
    ASSERT_EQ(character.bytes, static_cast<int>(text.size()));
    // Cut short it is not valid, and one byte is taken.
    for (std::size_t size = 1; size < text.size(); ++size) {
      const Character cut = decode(std::string_view(text).substr(0, size), 0);
      ASSERT_TRUE(!cut.valid && cut.bytes == 1) << static_cast<std::uint32_t>(code);
    }
  }
}

TEST(Utf8, RefusesWhatIsNotValid) {
  for (const char* text : {
           "\x80",              // a byte that only follows
           "\xC0\xAF",          // '/' in two bytes
           "\xC1\xBF",          // the same for U+007F
           "\xE0\x9F\xBF",      // U+07FF in three
           "\xF0\x8F\xBF\xBF",  // U+FFFF in four
           "\xED\xA0\x80",      // half of a UTF-16 pair
           "\xF4\x90\x80\x80",  // past the last
           "\xF8\x88\x80\x80",  // five bytes
           "\xFF",
           "\xC3(",  // the second byte is none
           "\xE2\x82(",
       }) {
    const Character character = decode(text, 0);
    EXPECT_FALSE(character.valid) << text;
    EXPECT_EQ(character.bytes, 1) << text;
    EXPECT_TRUE(character.code == static_cast<unsigned char>(text[0])) << text;
  }
}

TEST(Utf8, DecodesFromWithin) {
  const std::string_view text = "aé漢";
  EXPECT_TRUE(decode(text, 0).code == U'a');
  EXPECT_TRUE(decode(text, 1).code == U'é');
  EXPECT_TRUE(decode(text, 3).code == U'漢');
}

TEST(Utf8, KnowsColumns) {
  const auto columns = [](std::string_view text) { return glyph_of(decode(text, 0)).columns; };
  EXPECT_EQ(columns("a"), 1);
  EXPECT_EQ(columns("é"), 1);
  EXPECT_EQ(columns("漢"), 2);
  EXPECT_EQ(columns("한"), 2);
  EXPECT_EQ(columns("\xCC\x81"), 1);
}

TEST(Utf8, PrintableCutsAndReplaces) {
  EXPECT_EQ(printable("abc", 3), "abc");
  EXPECT_EQ(printable("abc", 2), "ab…");
  EXPECT_EQ(printable("", 0), "");
  EXPECT_EQ(printable("a\n\xFF", 9), "a␊\xEF\xBF\xBD");
}

}  // namespace
}  // namespace tenfold::utf8
