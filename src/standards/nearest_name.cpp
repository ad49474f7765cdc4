// The nearest name to a misspelt one, for error messages.
#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "tenfold/standards.hpp"

namespace tenfold {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`, letter case
// ignored (the optimal string alignment distance, three rows of its table at a time).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string_view> candidates) {
  // Names from files may be long; nothing that long is a slip of the keyboard.
  constexpr std::size_t kLongest = 200;
  if (name.size() > kLongest) return std::nullopt;
  std::optional<std::string> nearest;
  std::size_t best = 0;
  for (std::string_view candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const std::size_t distance = edit_distance(name, candidate);
    // At most every third letter wrong: 1 in "max", 3 in "ReduceMax".
    if (distance > (std::max(name.size(), candidate.size()) + 2) / 3) continue;
    if (nearest && distance >= best) continue;
    nearest = std::string(candidate);
    best = distance;
  }
  return nearest;
}

}  // namespace tenfold
