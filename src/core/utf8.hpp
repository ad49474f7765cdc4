// UTF-8: reading characters one at a time, and showing text of unknown origin in columns.
// Used by the parser of equations and by the pictures of errors; no locale is asked.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tenfold::utf8 {

// A code point of `bytes` bytes; if they are no valid UTF-8, the one byte that is not.
struct Character {
  char32_t code;
  int bytes;
  bool valid;
};

// The character that begins at text[at]; `at` is inside the text.
Character decode(std::string_view text, std::size_t at);

void append(std::string& out, char32_t code);

// A character as it can be shown anywhere: invisible and broken ones as a stand-in, a combining
// mark on a dotted circle. `columns` of a terminal: 1 or 2.
struct Glyph {
  std::string text;
  int columns;
};
Glyph glyph_of(const Character& character);

// At most `most` characters as glyphs, then "…" if there are more.
std::string printable(std::string_view text, int most);

}  // namespace tenfold::utf8
