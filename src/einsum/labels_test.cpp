#include "einsum/labels.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/utf8.hpp"

namespace tenfold::einsum_detail {
namespace {

TEST(Labels, AreLettersOfAnyScript) {
  for (const char32_t code : std::u32string(U"azAZªµºÀÿĀαωЖяאبकกაᄀḁἀⁿℵⰀあン한字漢ﬀＡｚ𐌀𝒶𝔸𠀀")) {
    EXPECT_TRUE(is_label(code)) << static_cast<std::uint32_t>(code);
  }
}

TEST(Labels, AreNoPunctuationBlanksSymbolsOrControls) {
  // ASCII but for the letters; Latin-1 up to U+00BF but for three letters.
  int labels = 0;
  for (char32_t code = 0; code < 0xC0; ++code) labels += is_label(code) ? 1 : 0;
  EXPECT_EQ(labels, 52 + 3);
  for (const char32_t code : std::u32string(U"−–—→…‥，．：　、。（）≤∑√★☃😀�")) {
    EXPECT_FALSE(is_label(code)) << static_cast<std::uint32_t>(code);
  }
  for (const char32_t code : {0x61C, 0x1680, 0x180E, 0x2009, 0x200B, 0x202E, 0x2060, 0xD800, 0xE000,
                              0xFE0F, 0xFEFF, 0xFFFF, 0xE0001, 0x10FFFF, 0x110000})
    EXPECT_FALSE(is_label(code)) << static_cast<std::uint32_t>(code);
}

TEST(Labels, TakeWhatProgramsCountUpFromLatin) {
  // The symbols of large networks are often U+00C0, U+00C1, and so on.
  int refused = 0;
  for (char32_t code = 0xC0; code < 0x2000; ++code) refused += is_label(code) ? 0 : 1;
  EXPECT_EQ(refused, 3);
}

TEST(Symbols, AreDifferentLabels) {
  EXPECT_EQ(symbol_of(0), "a");
  EXPECT_EQ(symbol_of(25), "z");
  EXPECT_EQ(symbol_of(26), "A");
  EXPECT_EQ(symbol_of(51), "Z");
  EXPECT_EQ(symbol_of(52), "À");
  EXPECT_EQ(symbol_of(2147483647), "{2147483647}");
  std::set<std::string> symbols;
  for (int label = 0; label < 22000; ++label) {
    const std::string symbol = symbol_of(label);
    EXPECT_TRUE(symbols.insert(symbol).second) << label;
    if (symbol[0] == '{') continue;
    const utf8::Character character = utf8::decode(symbol, 0);
    EXPECT_EQ(static_cast<std::size_t>(character.bytes), symbol.size()) << label;
    EXPECT_TRUE(is_label(character.code)) << label;
  }
}

TEST(LabelIds, NumbersKeysAsTheyAppear) {
  const std::vector<int> keys = {'z', 0, 127, 128, 191, 192, 129, 'a', 0x10FFFF, 70000, 70064};
  LabelIds ids;
  for (int round = 0; round < 2; ++round)
    for (std::size_t i = 0; i < keys.size(); ++i)
      EXPECT_EQ(ids.id_of(keys[i]), static_cast<int>(i)) << keys[i];
  EXPECT_EQ(ids.count(), static_cast<int>(keys.size()));
  EXPECT_EQ(ids.take_keys(), keys);
}

}  // namespace
}  // namespace tenfold::einsum_detail
