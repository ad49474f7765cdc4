// The picture of an error: the equation, carets under the places, a note for each.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/utf8.hpp"
#include "tenfold/error.hpp"

namespace tenfold {
namespace {

constexpr std::string_view kIndent = "  ";
// An equation of more characters is cut: so many are shown of a mark and on each side of it.
constexpr int kWholeEquation = 76;
constexpr int kMostOfMark = 24;
constexpr int kBeside = 16;

// A piece of the equation, in bytes.
struct Piece {
  std::size_t begin, end;
};

constexpr std::size_t kNotYet = std::string::npos;

// Where a mark stands, in columns of the terminal.
struct Place {
  const ErrorMark* mark;
  Piece bytes;
  std::size_t column = kNotYet, end_column = kNotYet;

  std::size_t columns() const { return std::max<std::size_t>(1, end_column - column); }
};

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::size_t before(std::string_view text, std::size_t at, int characters) {
  for (; characters > 0 && at > 0; --characters) {
    // At most three bytes follow the first of a character; in broken text any number may.
    int bytes = 1;
    while (--at > 0 && bytes < 4 && continues_character(text[at])) ++bytes;
  }
  return at;
}

std::size_t after(std::string_view text, std::size_t at, int characters) {
  for (; characters > 0 && at < text.size(); --characters)
    at += static_cast<std::size_t>(utf8::decode(text, at).bytes);
  return at;
}

// In the order of the text.
std::vector<Place> places_of(const ErrorPlace& place) {
  std::vector<Place> places;
  for (const ErrorMark& mark : place.marks) {
    const std::size_t size = place.equation.size();
    const std::size_t begin = std::min(size, static_cast<std::size_t>(std::max(0, mark.offset)));
    const std::size_t length = static_cast<std::size_t>(std::max(0, mark.length));
    places.push_back({&mark, {begin, begin + std::min(length, size - begin)}});
  }
  std::ranges::stable_sort(places, {}, [](const Place& p) { return p.bytes.begin; });
  return places;
}

// The pieces of the equation to show, in order and apart from each other; shortens long marks.
std::vector<Piece> pieces_of(std::string_view text, std::vector<Place>& places) {
  if (after(text, 0, kWholeEquation) == text.size()) return {{0, text.size()}};
  std::vector<Piece> pieces;
  for (Place& place : places) {
    Piece& bytes = place.bytes;
    const std::size_t most = after(text, bytes.begin, kMostOfMark);
    const bool cut = bytes.end > most;
    if (cut) bytes.end = most;
    const Piece piece{before(text, bytes.begin, kBeside),
                      cut ? most : after(text, bytes.end, kBeside)};
    if (pieces.empty() || piece.begin > pieces.back().end)
      pieces.push_back(piece);
    else
      pieces.back().end = std::max(pieces.back().end, piece.end);
  }
  if (pieces.empty()) pieces.push_back({0, after(text, 0, kWholeEquation)});
  return pieces;
}

// One line of text; finds the columns of the places on the way.
std::string draw_equation(std::string_view text, const std::vector<Piece>& pieces,
                          std::vector<Place>& places) {
  std::string line;
  std::size_t column = 0, shown = 0;
  const auto gap = [&] {
    line += "…";
    ++column;
  };
  for (const Piece& piece : pieces) {
    if (piece.begin > shown) gap();
    for (std::size_t at = piece.begin;;) {
      // A mark inside a character, which is none of ours, is taken to the next.
      for (Place& place : places) {
        if (place.column == kNotYet && place.bytes.begin <= at) place.column = column;
        if (place.end_column == kNotYet && place.bytes.end <= at) place.end_column = column;
      }
      if (at >= piece.end) break;
      const utf8::Character character = utf8::decode(text, at);
      const utf8::Glyph glyph = utf8::glyph_of(character);
      line += glyph.text;
      column += static_cast<std::size_t>(glyph.columns);
      at += static_cast<std::size_t>(character.bytes);
    }
    shown = piece.end;
  }
  if (shown < text.size()) gap();
  return line;
}

void put_line(std::string& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  if (!line.empty()) out += kIndent;
  out += line + '\n';
}

// The last note first, with a bar under each caret whose note is still to come.
void put_notes(std::string& out, const std::vector<Place>& places) {
  for (std::size_t i = places.size(); i-- > 0;) {
    if (places[i].mark->note.empty()) continue;
    std::string line(places[i].column, ' ');
    for (std::size_t j = 0; j < i; ++j)
      if (!places[j].mark->note.empty() && places[j].column < line.size())
        line[places[j].column] = '|';
    if (line.ends_with('|')) line += ' ';  // neighbours: the words keep clear of the bar
    put_line(out, line + places[i].mark->note);
  }
}

}  // namespace

std::string picture_of(const ErrorPlace& place) {
  std::vector<Place> places = places_of(place);
  const std::vector<Piece> pieces = pieces_of(place.equation, places);
  std::string out;
  put_line(out, draw_equation(place.equation, pieces, places));
  std::string carets;
  for (const Place& p : places) {
    if (carets.size() < p.column + p.columns()) carets.resize(p.column + p.columns(), ' ');
    std::fill_n(carets.begin() + static_cast<std::ptrdiff_t>(p.column), p.columns(), '^');
  }
  put_line(out, std::move(carets));
  put_notes(out, places);
  out.pop_back();  // the last line end
  return out;
}

}  // namespace tenfold
