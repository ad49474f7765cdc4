// The table of commands and options that the parser works by, as plain data: what the completions
// and the man page are written from. Called by completion.cpp and man.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tenfold::cli {

struct OptionRow {
  std::vector<std::string> names;  // "-i", "--input"; none: an argument without a name
  std::string value;               // what stands for its value, "NAME=FILE"; empty: a flag
  std::string description;
  std::string fallback;  // the value that holds when none is given, if that is told
  bool is_required = false;
  bool is_repeatable = false;
};

struct CommandRow {
  std::string name, description, footer;
  std::vector<OptionRow> options, arguments;
};

struct Table {
  CommandRow general;  // tenfold itself: what may stand without a command
  std::vector<CommandRow> commands;
};

// Hidden commands and options are left out.
Table read_table(const CLI::App& app);

// What may stand for a value such as "FILE" or "TYPE".
struct Values {
  std::vector<std::string> words;
  bool has_files = false;
};
Values values_of(std::string_view value);

}  // namespace tenfold::cli
