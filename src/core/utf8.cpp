#include "core/utf8.hpp"

#include <algorithm>
#include <array>

namespace tenfold::utf8 {
namespace {

struct Range {
  char32_t first, last;
};

template <std::size_t kCount>
bool contains(const std::array<Range, kCount>& ranges, char32_t code) {
  return std::ranges::any_of(
      ranges, [code](const Range& range) { return range.first <= code && code <= range.last; });
}

// Controls, direction marks, joiners, surrogates and the like: nothing would be seen of them, or
// they would change the text around.
constexpr std::array kInvisible = {
    Range{0x80, 0x9F},     Range{0xAD, 0xAD},     Range{0x61C, 0x61C},      Range{0x180E, 0x180E},
    Range{0x2000, 0x200F}, Range{0x2028, 0x202F}, Range{0x205F, 0x206F},    Range{0x3000, 0x3000},
    Range{0xA0, 0xA0},     Range{0x1680, 0x1680}, Range{0xD800, 0xF8FF},    Range{0xFE00, 0xFE0F},
    Range{0xFEFF, 0xFEFF}, Range{0xFFF0, 0xFFFB}, Range{0xFFFE, 0xFFFF},    Range{0x115F, 0x1160},
    Range{0x3164, 0x3164}, Range{0xFFA0, 0xFFA0}, Range{0xE0000, 0x10FFFF},
};

// Marks that stand on the character before them: those of the scripts met most.
constexpr std::array kCombining = {
    Range{0x300, 0x36F},   Range{0x483, 0x489},   Range{0x591, 0x5BD},   Range{0x5BF, 0x5BF},
    Range{0x5C1, 0x5C2},   Range{0x5C4, 0x5C5},   Range{0x5C7, 0x5C7},   Range{0x610, 0x61A},
    Range{0x64B, 0x65F},   Range{0x670, 0x670},   Range{0x6D6, 0x6DC},   Range{0x6DF, 0x6E4},
    Range{0x6E7, 0x6E8},   Range{0x6EA, 0x6ED},   Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF},
    Range{0x20D0, 0x20FF}, Range{0x302A, 0x302D}, Range{0xFE20, 0xFE2F},
};

// Two columns in a terminal: Hangul, CJK, full-width forms, emoji.
constexpr std::array kWide = {
    Range{0x1100, 0x115E},   Range{0x2E80, 0x303E},   Range{0x3041, 0x4DBF},
    Range{0x4E00, 0xA4CF},   Range{0xA960, 0xA97F},   Range{0xAC00, 0xD7A3},
    Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},   Range{0xFF01, 0xFF60},
    Range{0xFFE0, 0xFFE6},   Range{0x16FE0, 0x18D08}, Range{0x1B000, 0x1B2FB},
    Range{0x1F300, 0x1F64F}, Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1FAFF},
    Range{0x20000, 0x3FFFD},
};

constexpr char32_t kReplacement = 0xFFFD, kDottedCircle = 0x25CC;
constexpr char32_t kControlPictures = 0x2400;  // that of U+0000; the others follow
constexpr char32_t kDelete = 0x7F, kDeletePicture = 0x2421;

}  // namespace

Character decode(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return {lead, 1, true};
  const Character broken{lead, 1, false};
  // 110xxxxx, 1110xxxx, 11110xxx begin characters of 2, 3, 4 bytes.
  const int bytes = lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF8 ? 4 : 0;
  if (bytes == 0 || text.size() - at < static_cast<std::size_t>(bytes)) return broken;
  char32_t code = lead & (0x7F >> bytes);
  for (int i = 1; i < bytes; ++i) {
    const unsigned char next = byte(at + static_cast<std::size_t>(i));
    if ((next & 0xC0) != 0x80) return broken;
    code = code << 6 | (next & 0x3F);
  }
  // Longer than needed, half of a UTF-16 pair, past the last code point: not valid.
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes] || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) return broken;
  return {code, bytes, true};
}

void append(std::string& out, char32_t code) {
  const auto put = [&](char32_t bits) { out += static_cast<char>(bits); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xE0 | code >> 12);
    } else {
      put(0xF0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3F));
    }
    put(0x80 | (code >> 6 & 0x3F));
  }
  put(0x80 | (code & 0x3F));
}

Glyph glyph_of(const Character& character) {
  char32_t code = character.code;
  Glyph glyph{{}, 1};
  if (!character.valid || contains(kInvisible, code)) {
    code = kReplacement;
  } else if (code < ' ') {
    code += kControlPictures;
  } else if (code == kDelete) {
    code = kDeletePicture;
  } else if (contains(kCombining, code)) {
    append(glyph.text, kDottedCircle);
  } else if (contains(kWide, code)) {
    glyph.columns = 2;
  }
  append(glyph.text, code);
  return glyph;
}

std::string printable(std::string_view text, int most) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); --most) {
    if (most <= 0) return out + "…";
    const Character character = decode(text, at);
    out += glyph_of(character).text;
    at += static_cast<std::size_t>(character.bytes);
  }
  return out;
}

}  // namespace tenfold::utf8
