#include "einsum/labels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/utf8.hpp"

namespace tenfold::einsum_detail {
namespace {

struct Range {
  char32_t first, last;
};

// Ascending. Up to U+1FFF everything but a direction mark, a blank and a separator that is not
// seen; then superscripts, letterlike symbols, Glagolitic to Cyrillic; Kana, Bopomofo, Hangul; CJK,
// Yi to Hangul; compatibility and full-width letters; old scripts, mathematical alphabets, CJK.
constexpr Range kLabels[] = {
    {'A', 'Z'},         {'a', 'z'},         {0xAA, 0xAA},       {0xB5, 0xB5},
    {0xBA, 0xBA},       {0xC0, 0x61B},      {0x61D, 0x167F},    {0x1681, 0x180D},
    {0x180F, 0x1FFF},   {0x2071, 0x2071},   {0x207F, 0x207F},   {0x2090, 0x209C},
    {0x2100, 0x214F},   {0x2183, 0x2184},   {0x2C00, 0x2DFF},   {0x2E2F, 0x2E2F},
    {0x3005, 0x3006},   {0x3031, 0x3035},   {0x303B, 0x303C},   {0x3041, 0x3098},
    {0x309D, 0x309F},   {0x30A1, 0x30FA},   {0x30FC, 0x318F},   {0x31A0, 0x31BF},
    {0x31F0, 0x31FF},   {0x3400, 0x4DBF},   {0x4E00, 0xA48C},   {0xA4D0, 0xD7FB},
    {0xF900, 0xFD3D},   {0xFD50, 0xFDFB},   {0xFE70, 0xFEFC},   {0xFF21, 0xFF3A},
    {0xFF41, 0xFF5A},   {0xFF66, 0xFFDC},   {0x10000, 0x1CFFF}, {0x1D400, 0x1D7CB},
    {0x1DF00, 0x1EEFF}, {0x20000, 0x3FFFD},
};

// What integers are written as, in this order.
constexpr Range kSymbols[] = {
    {'a', 'z'},     {'A', 'Z'},     {0xC0, 0xD6},   {0xD8, 0xF6},     {0xF8, 0x24F},
    {0x391, 0x3A1}, {0x3A3, 0x3C9}, {0x410, 0x44F}, {0x4E00, 0x9FFC},
};

}  // namespace

bool is_label(char32_t code) {
  const Range* range = std::ranges::lower_bound(kLabels, code, {}, &Range::last);
  return range != std::end(kLabels) && range->first <= code;
}

std::string symbol_of(int label) {
  auto rest = static_cast<char32_t>(label);
  for (const Range& range : kSymbols) {
    const char32_t count = range.last - range.first + 1;
    if (rest < count) {
      std::string symbol;
      utf8::append(symbol, range.first + rest);
      return symbol;
    }
    rest -= count;
  }
  return fmt::format("{{{}}}", label);
}

int& LabelIds::entry(int key) {
  const auto page = static_cast<std::size_t>(key / kPage);
  if (page >= pages_.size()) pages_.resize(page + 1, kNone);
  if (pages_[page] == kNone) {
    pages_[page] = static_cast<int>(entries_.size());
    entries_.resize(entries_.size() + kPage, kNone);
  }
  return entries_[static_cast<std::size_t>(pages_[page]) + static_cast<std::size_t>(key % kPage)];
}

}  // namespace tenfold::einsum_detail
