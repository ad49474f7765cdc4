#include "contraction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tenfold::cli {
namespace {

constexpr const char* kPathForms = "or steps such as 1,2/0,1";

// "1,2/0,1": the steps of an order, each the positions that it takes out.
EinsumPath parse_order(std::string_view text) {
  EinsumPath path;
  while (true) {
    const std::size_t end = text.find('/');
    std::vector<int> step;
    for (std::int64_t position : parse_integers("--path", text.substr(0, end))) {
      if (position < 0 || position > INT32_MAX) {
        throw usage_error("--path", "no position in the list of operands", "0 or more",
                          std::to_string(position));
      }
      step.push_back(static_cast<int>(position));
    }
    path.push_back(std::move(step));
    if (end == std::string_view::npos) return path;
    text.remove_prefix(end + 1);
  }
}

void parse_path(const std::string& text, EinsumSpec& spec) {
  const auto methods = path_methods();
  if (std::ranges::find(methods, text) != methods.end()) {
    spec.method = text;
  } else if (!text.empty() && text.find_first_not_of("0123456789,/") == std::string::npos) {
    spec.path = parse_order(text);
  } else {
    throw usage_error("--path", "unknown method" + suggestion(text, methods),
                      fmt::format("one of {}, {}", fmt::join(methods, ", "), kPathForms),
                      "'" + text + "'");
  }
}

// "64M": bytes, in units of 1024, 1024^2 or 1024^3 with K, M or G.
std::int64_t parse_bytes(std::string_view option, std::string_view text) {
  constexpr std::string_view kUnits = "KMG";
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  int shift = 0;
  bool good = error == std::errc() && value > 0;
  if (good && stop != end) {
    const std::size_t unit = kUnits.find(*stop);
    good = unit != std::string_view::npos && stop + 1 == end;
    shift = good ? 10 * static_cast<int>(unit + 1) : 0;
  }
  if (!good || value > (INT64_MAX >> shift)) {
    throw usage_error(std::string(option), "not a number of bytes", "for example 500000, 64K or 2G",
                      fmt::format("'{}'", text));
  }
  return value << shift;
}

}  // namespace

void add_order_options(CLI::App& sub, ContractionOptions& options) {
  sub.add_option("--path", options.path,
                 fmt::format("Order: {}, {}", fmt::join(path_methods(), ", "), kPathForms))
      ->type_name("NAME|ORDER");
  sub.add_option("--memory-limit", options.memory_limit,
                 "Most bytes of intermediate results alive at a time; 64K, 8M, 2G")
      ->type_name("SIZE");
}

EinsumSpec parse_contraction(const ContractionOptions& options) {
  const DialectVersion dialect = parse_dialect_option(options.dialect);
  EinsumSpec spec;
  spec.equation = options.equation;
  spec.dialect = dialect.dialect;
  spec.version = dialect.version;
  find_contraction(dialect.dialect, "einsum", dialect.version);  // exists there
  if (!options.path.empty()) parse_path(options.path, spec);
  if (!options.memory_limit.empty()) {
    spec.memory_limit = parse_bytes("--memory-limit", options.memory_limit);
  }
  if (!options.dtype.empty()) {
    spec.dtype = parse_type("--dtype", options.dtype);
    if (dialect.dialect != Dialect::kNumpy) {
      throw usage_error("--dtype",
                        fmt::format("{} keeps the type of the operands; only the numpy dialect "
                                    "takes a type",
                                    name_of(dialect.dialect)));
    }
  }
  return spec;
}

}  // namespace tenfold::cli
