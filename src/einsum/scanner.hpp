// An equation's text as tokens; blanks are dropped first, as the standards say, so "- >" is an
// arrow. Used to read equations, and again to find the place of a mistake.
#pragma once

#include <cstddef>
#include <string_view>

#include "tenfold/einsum.hpp"

namespace tenfold::einsum_detail {

enum class TokenKind { kLabel, kEllipsis, kComma, kArrow, kEnd };

struct Token {
  TokenKind kind;
  int begin, end;  // bytes of the text
  char32_t label;  // kLabel: its code point
};

class Scanner {
 public:
  // Throws Error(kEquationSyntax) for a text past 2^31 bytes. `spec` must outlive the scanner.
  explicit Scanner(const EinsumSpec& spec);

  // Throws Error(kEquationSyntax) for what is no token in the spec's dialect. After the last token
  // always kEnd.
  Token next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ < text_.size()) {
      const char c = text_[at_];
      const int begin = static_cast<int>(at_);
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
        ++at_;
        return {TokenKind::kLabel, begin, begin + 1, static_cast<unsigned char>(c)};
      }
      if (c == ',') {
        ++at_;
        return {TokenKind::kComma, begin, begin + 1, 0};
      }
    }
    return other();
  }

 private:
  Token other();  // all that is not an ASCII letter or a comma
  Token ellipsis();
  Token arrow();
  Token other_letter();

  const EinsumSpec& spec_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace tenfold::einsum_detail
