#include "common.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <utility>

namespace tenfold::cli {
namespace {

constexpr int kMostThreads = 4096;

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find_first_of(separators);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string quoted(std::string_view text) { return fmt::format("'{}'", text); }

}  // namespace

CLI::App* add_subcommand(CLI::App& app, const std::string& name, const std::string& description,
                         const std::string& footer, Common& common) {
  CLI::App* sub = app.add_subcommand(name, description);
  sub->footer(footer);
  // What CLI11 does not know is collected, so that main can answer with the nearest option.
  sub->allow_extras();
  sub->add_flag("--quiet", common.quiet, "No progress line and no notes; errors and results only");
  return sub;
}

Error usage_error(std::string where, std::string what, std::string expected, std::string got) {
  return {ErrorCode::kBadArgument, std::move(where), std::move(what), std::move(expected),
          std::move(got)};
}

std::string suggestion(std::string_view name, std::span<const std::string_view> candidates) {
  const auto nearest = nearest_name(name, candidates);
  return nearest ? fmt::format(" (did you mean '{}'?)", *nearest) : std::string();
}

std::int64_t parse_integer(std::string_view option, std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) {
    throw usage_error(std::string(option), "not a number", "a whole number", quoted(text));
  }
  return value;
}

std::int64_t parse_zero_or_one(std::string_view option, std::string_view text) {
  if (text == "0" || text == "false") return 0;
  if (text == "1" || text == "true") return 1;
  throw usage_error(std::string(option), "not a yes or a no", "0 or 1", quoted(text));
}

std::vector<std::int64_t> parse_integers(std::string_view option, std::string_view text) {
  std::vector<std::int64_t> values;
  if (text.empty() || text == "none") return values;
  for (std::string_view part : split(text, ",")) {
    std::int64_t value = 0;
    const char* end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, value);
    if (error != std::errc() || stop != end) {
      throw usage_error(std::string(option), "not a list of whole numbers",
                        "for example 0,-1, or none for an empty list", quoted(text));
    }
    values.push_back(value);
  }
  return values;
}

Dims parse_shape(std::string_view option, std::string_view text) {
  std::vector<std::int64_t> extents;
  if (text != "scalar" && !text.empty()) {
    for (std::string_view part : split(text, "x,")) {
      std::int64_t value = 0;
      const char* end = part.data() + part.size();
      const auto [stop, error] = std::from_chars(part.data(), end, value);
      if (error != std::errc() || stop != end || value < 0) {
        throw usage_error(std::string(option), "not a shape", "for example 2x3x4, or scalar",
                          quoted(text));
      }
      extents.push_back(value);
    }
  }
  if (extents.size() > static_cast<std::size_t>(kMaxRank)) {
    throw usage_error(std::string(option), "too many axes", fmt::format("at most {}", kMaxRank),
                      std::to_string(extents.size()));
  }
  const Dims shape{std::span<const std::int64_t>(extents)};
  element_count(shape);  // refuses a product that overflows
  return shape;
}

DType parse_type(std::string_view option, std::string_view text) {
  if (const auto dtype = parse_dtype(text)) return *dtype;
  static constexpr std::string_view kNames[] = {
#define X(id, type, name, numpy) name, numpy,
      TENFOLD_DTYPES(X)
#undef X
  };
  throw usage_error(std::string(option), "unknown type" + suggestion(text, kNames),
                    "for example f32 or float32", quoted(text));
}

DialectVersion parse_dialect_option(std::string_view text) {
  static constexpr std::string_view kNames[] = {"onnx", "openvino", "numpy"};
  const std::string_view name = text.substr(0, text.find(':'));
  if (std::ranges::find(kNames, name) == std::end(kNames)) {
    throw usage_error("--dialect", "unknown dialect" + suggestion(name, kNames),
                      "onnx, onnx:N, openvino or numpy", quoted(text));
  }
  return parse_dialect(text);
}

RunOptions run_options(const Common& common) {
  RunOptions options;
  if (common.threads.empty()) return options;
  const std::int64_t threads = parse_integer("--threads", common.threads);
  if (threads < 0 || threads > kMostThreads) {
    throw usage_error("--threads", "out of range",
                      fmt::format("0 (as many as there are) .. {}", kMostThreads), common.threads);
  }
  options.threads = static_cast<int>(threads);
  return options;
}

std::optional<std::vector<std::int64_t>> parse_axes(const CLI::Option* given,
                                                    std::string_view text) {
  if (given->count() == 0) return std::nullopt;
  return parse_integers("--axes", text);
}

std::vector<std::byte> read_stdin() {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::vector<std::byte> bytes;
  std::size_t size = 0;
  while (true) {
    bytes.resize(size + kBlock);
    const std::size_t n = std::fread(bytes.data() + size, 1, kBlock, stdin);
    size += n;
    if (n == 0) break;
  }
  if (std::ferror(stdin) != 0) {
    throw Error(ErrorCode::kFile, "standard input", "cannot be read", {}, std::strerror(errno));
  }
  bytes.resize(size);
  return bytes;
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) flush_stdout();
}

void flush_stdout() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw Error(ErrorCode::kFile, "standard output", "cannot be written", {}, std::strerror(errno));
  }
}

}  // namespace tenfold::cli
