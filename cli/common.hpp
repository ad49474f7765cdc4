// What the subcommands share: the options that all of them take, and how the text of an option
// becomes a value, or an error that says what was expected.
// Called by main.cpp and by every subcommand.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenfold/tenfold.hpp"

namespace tenfold::cli {

// Taken by every subcommand.
struct Common {
  bool quiet = false;
  bool json = false;
  std::string threads;
};

// One subcommand: its options, and what runs once they are parsed and checked.
struct Command {
  CLI::App* app;
  std::function<void()> run;
};

Command add_run(CLI::App& app);
Command add_reduce(CLI::App& app);
Command add_einsum(CLI::App& app);
Command add_explain(CLI::App& app);
Command add_ops(CLI::App& app);
Command add_info(CLI::App& app);
Command add_compare(CLI::App& app);
// Hidden: they write what is installed beside the program. `app` has to outlive them.
Command add_completion(CLI::App& app);
Command add_man(CLI::App& app);

// A subcommand with --quiet and the examples at the end of its help.
CLI::App* add_subcommand(CLI::App& app, const std::string& name, const std::string& description,
                         const std::string& footer, Common& common);

// A mistake in the call itself: exit code 2. `where` names the subcommand or the option.
Error usage_error(std::string where, std::string what, std::string expected = {},
                  std::string got = {});

// " (did you mean 'max'?)", or nothing when no candidate is near.
std::string suggestion(std::string_view name, std::span<const std::string_view> candidates);

// Each throws a usage error that names `option`.
std::int64_t parse_integer(std::string_view option, std::string_view text);
std::int64_t parse_zero_or_one(std::string_view option, std::string_view text);
std::vector<std::int64_t> parse_integers(std::string_view option, std::string_view text);  // "0,-1"
Dims parse_shape(std::string_view option, std::string_view text);  // "2x3", "2,3" or "scalar"
DType parse_type(std::string_view option, std::string_view text);
DialectVersion parse_dialect_option(std::string_view text);
RunOptions run_options(const Common& common);

// The axes of a call: absent is not the same as an empty list.
std::optional<std::vector<std::int64_t>> parse_axes(const CLI::Option* given,
                                                    std::string_view text);

std::vector<std::byte> read_stdin();
// Writes to standard output; throws Error(kFile) when that fails, at the latest in flush_stdout().
void print(std::string_view text);
void flush_stdout();

}  // namespace tenfold::cli
