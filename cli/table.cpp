#include "table.hpp"

#include <algorithm>
#include <array>

#include "common.hpp"

namespace tenfold::cli {
namespace {

OptionRow row_of(const CLI::Option& option) {
  OptionRow row;
  for (const std::string& name : option.get_snames()) row.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) row.names.push_back("--" + name);
  if (row.names.empty()) {
    row.value = option.get_name(true);
  } else if (option.get_items_expected_max() > 0 && option.get_type_size_max() > 0) {
    row.value = option.get_type_name();
  }
  row.description = option.get_description();
  row.fallback = option.get_default_str();
  row.is_required = option.get_required();
  row.is_repeatable = option.get_items_expected_max() > 1;
  return row;
}

CommandRow row_of(const CLI::App& app) {
  CommandRow row{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    (option->nonpositional() ? row.options : row.arguments).push_back(row_of(*option));
  }
  return row;
}

template <std::size_t N>
std::vector<std::string> words_of(const std::array<std::string_view, N>& names) {
  return {names.begin(), names.end()};
}

std::vector<std::string> types() {
  static constexpr std::array kNames = {
#define X(id, type, name, numpy) std::string_view(name),
      TENFOLD_DTYPES(X)
#undef X
  };
  return words_of(kNames);
}

std::vector<std::string> dialects() {
  static constexpr std::array<std::string_view, 3> kNames = {"onnx", "openvino", "numpy"};
  return words_of(kNames);
}

// Each name once, in the order of the tables.
std::vector<std::string> operators() {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  };
  for (const OperatorRow& row : operator_rows()) add(row.name);
  return names;
}

std::vector<std::string> methods() {
  std::vector<std::string> names;
  for (std::string_view name : path_methods()) names.emplace_back(name);
  return names;
}

}  // namespace

Table read_table(const CLI::App& app) {
  Table table{row_of(app), {}};
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) table.commands.push_back(row_of(*command));
  }
  return table;
}

Values values_of(std::string_view value) {
  if (value == "TYPE") return {.words = types()};
  if (value == "NAME") return {.words = dialects()};
  if (value == "NAME|ORDER") return {.words = methods()};
  if (value == "OP") return {.words = operators()};
  if (value == "OP|EQUATION|MODEL") return {.words = operators(), .has_files = true};
  if (value == "0|1") return {.words = {"0", "1"}};
  const bool has_files = value.find("FILE") != std::string_view::npos || value == "MODEL";
  return {.words = {}, .has_files = has_files};
}

}  // namespace tenfold::cli
