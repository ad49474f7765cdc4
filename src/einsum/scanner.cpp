#include "einsum/scanner.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "core/utf8.hpp"
#include "einsum/equation.hpp"
#include "einsum/equation_errors.hpp"
#include "einsum/labels.hpp"

namespace tenfold::einsum_detail {
namespace {

// What may have been meant by a character that stands in no equation.
std::string hint_of(char32_t code, Dialect dialect) {
  if (code == U'→') return "an arrow is written '->'";
  if (code == U'…') return "an ellipsis is written '...'";
  if (code == ';') return "terms are separated by ','";
  if (code >= '0' && code <= '9') return "numbers are labels in the interleaved form only";
  if ((code >= '\t' && code <= '\r') || code == 0xA0) return "only plain blanks may stand between";
  if (dialect != Dialect::kNumpy && is_label(code)) return "a label in the NumPy dialect only";
  return "not a label";
}

}  // namespace

Scanner::Scanner(const EinsumSpec& spec) : spec_(spec), text_(spec.equation) {
  constexpr std::size_t kLongest = std::numeric_limits<int>::max();
  if (text_.size() > kLongest)
    throw Error(ErrorCode::kEquationSyntax, operator_name(spec), "the equation is too long",
                fmt::format("at most {} bytes", kLongest), std::to_string(text_.size()));
}

Token Scanner::other() {
  if (at_ == text_.size()) {
    const int end = static_cast<int>(at_);
    return {TokenKind::kEnd, end, end, 0};
  }
  switch (text_[at_]) {
    case '.':
      return ellipsis();
    case '-':
    case '>':
      return arrow();
    default:
      return other_letter();
  }
}

// Takes a whole row of dots, so that the error can say how many there are.
Token Scanner::ellipsis() {
  const std::size_t begin = at_;
  std::size_t end = at_;
  int dots = 0;
  for (; at_ < text_.size() && (text_[at_] == '.' || text_[at_] == ' '); ++at_)
    if (text_[at_] == '.') {
      ++dots;
      end = at_ + 1;
    }
  if (dots != 3)
    throw_syntax_error(
        spec_, "an ellipsis has three dots", "'...'", plural(dots, "dot"),
        {mark_at(static_cast<int>(begin), static_cast<int>(end), plural(dots, "dot"))});
  return {TokenKind::kEllipsis, static_cast<int>(begin), static_cast<int>(end), 0};
}

Token Scanner::arrow() {
  const std::size_t begin = at_;
  const char first = text_[at_++];
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  if (first != '-' || at_ == text_.size() || text_[at_] != '>')
    throw_syntax_error(spec_, "half an arrow", "'->'", fmt::format("'{}'", first),
                       {mark_at(static_cast<int>(begin), static_cast<int>(begin) + 1,
                                "an arrow is written '->'")});
  ++at_;
  return {TokenKind::kArrow, static_cast<int>(begin), static_cast<int>(at_), 0};
}

Token Scanner::other_letter() {
  const std::size_t begin = at_;
  const utf8::Character character = utf8::decode(text_, at_);
  at_ += static_cast<std::size_t>(character.bytes);
  const auto code = static_cast<std::uint32_t>(character.code);
  if (!character.valid) {
    const std::string byte = fmt::format("byte 0x{:02X}", code);
    throw_syntax_error(spec_, "the equation is not valid UTF-8", {}, byte,
                       {mark_at(static_cast<int>(begin), static_cast<int>(at_), byte)});
  }
  if (spec_.dialect == Dialect::kNumpy && is_label(character.code))
    return {TokenKind::kLabel, static_cast<int>(begin), static_cast<int>(at_), character.code};
  const char* letter = spec_.dialect == Dialect::kNumpy ? "a letter" : "a letter a-z or A-Z";
  throw_syntax_error(spec_, "this character cannot stand in an equation",
                     fmt::format("{}, ',', '->' or '...'", letter),
                     fmt::format("'{}' (U+{:04X})", utf8::glyph_of(character).text, code),
                     {mark_at(static_cast<int>(begin), static_cast<int>(at_),
                              hint_of(character.code, spec_.dialect))});
}

}  // namespace tenfold::einsum_detail
