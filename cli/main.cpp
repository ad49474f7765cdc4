// The `tenfold` command: finds the subcommand, runs it, and turns every error into one line on
// standard error and an exit code.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>

#include "common.hpp"
#include "terminal.hpp"

namespace tenfold::cli {
namespace {

enum ExitCode { kSuccess = 0, kUsage = 2, kInvalid = 3, kUnsupported = 4, kMemory = 5 };

constexpr const char* kFooter = R"(
'tenfold COMMAND --help' describes a command. Exit codes: 0 done, 2 wrong call, 3 bad model or
input, 4 not supported, 5 out of memory. TENFOLD_NUM_THREADS limits the threads, NO_COLOR turns
colour off.
)";

ExitCode exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return kUsage;
    case ErrorKind::kInvalid:
      return kInvalid;
    case ErrorKind::kUnsupported:
      return kUnsupported;
    case ErrorKind::kMemory:
      return kMemory;
  }
  __builtin_unreachable();
}

// `command`: whose --help is offered after a wrong call; empty: the general one.
int report(std::string_view message, ExitCode code, const std::string& command) {
  std::string text = fmt::format("{} {}\n", in_alarm_colour("tenfold:", STDERR_FILENO), message);
  if (code == kUsage) {
    text += fmt::format("Try 'tenfold {}--help'.\n", command.empty() ? "" : command + " ");
  }
  std::fputs(text.c_str(), stderr);
  return code;
}

bool is_option(std::string_view argument) { return argument.size() > 1 && argument[0] == '-'; }

// CLI11 would take the next argument as the value of "--axes=".
std::vector<std::string> read_arguments(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  for (std::string& argument : arguments) {
    if (argument == "--axes=" || argument == "--axis=") argument += "none";
  }
  return arguments;
}

void check_command(const std::vector<std::string>& arguments, std::span<const Command> commands) {
  const auto it = std::ranges::find_if_not(arguments, is_option);
  // Options that stand before the command are the general ones.
  constexpr std::string_view kGeneral[] = {"-h", "--help", "--version"};
  for (auto option = arguments.begin(); option != it; ++option) {
    if (std::ranges::find(kGeneral, *option) != std::end(kGeneral)) continue;
    throw usage_error("",
                      fmt::format("unknown option '{}'{}", *option, suggestion(*option, kGeneral)),
                      "a command before its options");
  }
  std::vector<std::string_view> names;  // those that help shows
  bool is_known = it == arguments.end();
  for (const Command& command : commands) {
    is_known = is_known || *it == command.app->get_name();
    if (!command.app->get_group().empty()) names.push_back(command.app->get_name());
  }
  if (arguments.empty()) {
    throw usage_error("", "no command", fmt::format("one of {}", fmt::join(names, ", ")));
  }
  if (!is_known) {
    throw usage_error("", fmt::format("unknown command '{}'{}", *it, suggestion(*it, names)),
                      fmt::format("one of {}", fmt::join(names, ", ")));
  }
}

// What the parser did not know: an option with its nearest name, or an argument too many.
void check_leftovers(const CLI::App& app) {
  const auto rest = app.remaining();
  if (rest.empty()) return;
  if (!is_option(rest[0])) {
    throw usage_error(app.get_name(), fmt::format("one argument too many: '{}'", rest[0]));
  }
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string name = rest[0].substr(0, rest[0].find('='));
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  throw usage_error(app.get_name(),
                    fmt::format("unknown option '{}'{}", name, suggestion(name, candidates)));
}

// CLI11's "--axes: 1 required LIST missing", in plainer words.
std::string explain_mismatch(const std::string& message) {
  const std::string option = message.substr(0, message.find(':'));
  if (message.ends_with("missing")) return option + " needs a value";
  if (message.find("received") != std::string::npos) return option + " is given more than once";
  return message;
}

std::string first_lower(std::string text) {
  const bool is_word = text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0;
  if (is_word) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

int parse_and_run(int argc, char** argv, std::string& command_name) {
  CLI::App app("Tensor reductions and contractions with exact semantics, at the machine's speed.",
               "tenfold");
  app.set_version_flag("--version", "tenfold " TENFOLD_VERSION);
  app.footer(kFooter);
  app.require_subcommand(0, 1);
  const std::array commands = {add_run(app),     add_reduce(app),     add_einsum(app),
                               add_explain(app), add_compare(app),    add_ops(app),
                               add_info(app),    add_completion(app), add_man(app)};
  auto arguments = read_arguments(argc, argv);
  check_command(arguments, commands);
  std::ranges::reverse(arguments);  // the order that CLI11 wants
  try {
    app.parse(arguments);
  } catch (const CLI::Success& help) {
    app.exit(help);
    flush_stdout();
    return kSuccess;
  } catch (const CLI::ParseError& error) {
    std::string message = first_lower(error.what());
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
      message = explain_mismatch(message);
    }
    for (const Command& command : commands) {
      if (!command.app->parsed()) continue;
      command_name = command.app->get_name();
      check_leftovers(*command.app);  // a misspelt option is the better message
    }
    throw usage_error(command_name, message);
  }
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    command_name = command.app->get_name();
    check_leftovers(*command.app);
    command.run();
  }
  flush_stdout();
  return kSuccess;
}

int guarded_main(int argc, char** argv) {
  std::string command;
  try {
    return parse_and_run(argc, argv, command);
  } catch (const Error& error) {
    return report(error.what(), exit_code_of(kind_of(error.code())), command);
  } catch (const std::bad_alloc&) {
    return report("out of memory", kMemory, command);
  } catch (const std::length_error&) {
    return report("out of memory", kMemory, command);
  } catch (const std::exception& error) {
    return report(error.what(), kInvalid, command);
  }
}

}  // namespace
}  // namespace tenfold::cli

int main(int argc, char** argv) {
  // Whoever reads our output may stop early: end quietly, as other commands do.
  std::signal(SIGPIPE, SIG_DFL);
  try {
    return tenfold::cli::guarded_main(argc, argv);
  } catch (...) {  // only when not even the message could be put together
    std::fputs("tenfold: out of memory\n", stderr);
    return tenfold::cli::kMemory;
  }
}
