#include "io/members.hpp"

#include <algorithm>

#include "io/elements.hpp"
#include "tenfold/standards.hpp"

namespace tenfold::io {
namespace {

std::string_view without(std::string_view suffix, std::string_view name) {
  if (!suffix.empty() && name.ends_with(suffix)) name.remove_suffix(suffix.size());
  return name;
}

std::string listed(std::span<const std::string_view> names) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (const std::string_view name : names.first(std::min(names.size(), kMost)))
    text += (text.empty() ? "" : ", ") + in_quotes(name);
  if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

}  // namespace

std::size_t choose_member(std::span<const std::string> names, std::string_view wanted,
                          std::string_view suffix) {
  if (names.empty()) malformed("no tensor in the file");
  std::vector<std::string_view> sorted(names.begin(), names.end());
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) malformed("a name stands twice", "names once each", in_quotes(*twice));
  if (wanted.empty() && names.size() == 1) return 0;
  auto found = std::ranges::find(names, wanted);
  if (found == names.end())
    found = std::ranges::find_if(names, [&](std::string_view name) {
      return without(suffix, name) == without(suffix, wanted);
    });
  if (found != names.end() && !wanted.empty())
    return static_cast<std::size_t>(found - names.begin());

  std::vector<std::string_view> bare;
  for (const std::string& name : names) bare.push_back(without(suffix, name));
  if (wanted.empty())
    throw Error(ErrorCode::kUnknownName, {}, "several tensors in the file",
                "the name of one: " + listed(bare), "none");
  const auto nearest = nearest_name(without(suffix, wanted), bare);
  throw Error(ErrorCode::kUnknownName, {}, "no such tensor in the file",
              nearest ? in_quotes(*nearest) + " (the nearest name)" : "one of " + listed(bare),
              in_quotes(wanted));
}

}  // namespace tenfold::io
