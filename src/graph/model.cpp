#include "graph/model.hpp"

#include <utility>

namespace tenfold::graph {

std::string_view name_of(AttributeKind kind) {
  static constexpr std::string_view kNames[] = {
      "an integer",        "a number", "a text", "a list of integers",
      "a list of numbers", "a tensor", "a type", "something else"};
  return kNames[static_cast<int>(kind)];
}

int Model::add_value(std::string name) {
  values.push_back(std::move(name));
  return static_cast<int>(values.size()) - 1;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 120;
  if (text.size() <= kLongest) return std::string(text);
  return std::string(text.substr(0, kLongest)) + "...";
}

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  out += shortened(text);
  out += '\'';
  return out;
}

void malformed(std::string where, std::string what, std::string expected, std::string got) {
  throw Error(ErrorCode::kMalformedModel, std::move(where), std::move(what), std::move(expected),
              std::move(got));
}

}  // namespace tenfold::graph
