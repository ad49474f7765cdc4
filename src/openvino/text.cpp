#include "openvino/text.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace tenfold::openvino {
namespace {

using graph::in_quotes;
using graph::malformed;

constexpr int kNewestOpset = 15;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// The parts of a list separated by commas; no parts for an empty text. At most one more than a
// shape may have, so that a huge text costs nothing.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  text = trimmed(text);
  if (text.empty()) return parts;
  while (parts.size() <= kMaxRank) {
    const std::size_t comma = text.find(',');
    parts.push_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return parts;
}

void check_rank(std::size_t rank, const std::string& where) {
  if (rank > kMaxRank)
    throw Error(ErrorCode::kRankTooLarge, where, "rank too large",
                "at most " + std::to_string(kMaxRank));
}

std::int64_t parse_extent(std::string_view text, const std::string& where) {
  const std::int64_t extent = parse_integer(text, where, "extent");
  if (extent < 0) malformed(where, "negative extent", "0 or more", in_quotes(text));
  return extent;
}

}  // namespace

std::int64_t parse_integer(std::string_view text, const std::string& where, const char* what) {
  const std::string_view digits = trimmed(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size())
    malformed(where, std::string("bad ") + what, "an integer", in_quotes(text));
  return value;
}

bool parse_boolean(std::string_view text, const std::string& where, std::string_view attribute) {
  if (text == "true" || text == "True" || text == "1") return true;
  if (text == "false" || text == "False" || text == "0") return false;
  throw Error(ErrorCode::kAttributeValue, where, "bad value of " + std::string(attribute),
              "true or false", in_quotes(text));
}

DType parse_element_type(std::string_view text, const std::string& where) {
  if (text == "boolean") return DType::kBool;
  if (text != "bool")
    if (const std::optional<DType> dtype = parse_dtype(text);
        dtype && name_of(*dtype) == text && !is_complex(*dtype))
      return *dtype;
  throw Error(ErrorCode::kUnsupportedFeature, where, "element type not supported",
              "f64, f32, f16, bf16, i8 .. i64, u8 .. u64 or boolean", in_quotes(text));
}

int parse_opset(std::string_view text, const std::string& where) {
  const std::string expected = "opset1 .. opset" + std::to_string(kNewestOpset);
  if (text.empty()) malformed(where, "the layer does not say its operator set", expected);
  std::int64_t version = 0;
  if (text.starts_with("opset")) {
    const auto [end, error] = std::from_chars(text.data() + 5, text.data() + text.size(), version);
    if (error != std::errc() || end != text.data() + text.size()) version = 0;
  }
  if (version < 1 || version > kNewestOpset)
    throw Error(ErrorCode::kUnsupportedVersion, where, "operator set not supported", expected,
                in_quotes(text));
  return static_cast<int>(version);
}

Dims parse_fixed_shape(std::string_view text, const std::string& where) {
  const std::vector<std::string_view> parts = split(text);
  check_rank(parts.size(), where);
  Dims shape;
  for (std::string_view part : parts) shape.push_back(parse_extent(part, where));
  return shape;
}

void parse_declared_shape(std::string_view text, const std::string& where,
                          graph::InputPort& input) {
  if (trimmed(text) == "...") return;
  input.port.shape.emplace();
  const std::vector<std::string_view> parts = split(text);
  check_rank(parts.size(), where);
  for (std::string_view part : parts) {
    graph::Bounds bounds;
    const std::size_t dots = part.find("..");
    if (dots != std::string_view::npos) {
      const std::string_view low = part.substr(0, dots), high = part.substr(dots + 2);
      if (!low.empty()) bounds.low = parse_extent(low, where);
      if (!high.empty()) bounds.high = parse_extent(high, where);
      if (bounds.low > bounds.high) malformed(where, "empty range", "low..high", in_quotes(part));
    } else if (part != "?" && part != "-1") {
      bounds.low = bounds.high = parse_extent(part, where);
    }
    const bool fixed = bounds.low == bounds.high;
    input.port.shape->push_back({fixed ? bounds.low : -1, {}});
    input.bounds.push_back(bounds);
  }
}

std::vector<std::string> split_names(std::string_view text) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> names;
  std::string name;
  for (std::size_t i = 0; i < text.size() && names.size() < kMost; ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',') {
      name += ',';
      ++i;
    } else if (text[i] == ',') {
      if (!name.empty()) names.push_back(std::exchange(name, {}));
    } else {
      name += text[i];
    }
  }
  if (!name.empty() && names.size() < kMost) names.push_back(std::move(name));
  return names;
}

}  // namespace tenfold::openvino
