// `tenfold man`: the table of commands and options as a page for man.
#include <fmt/format.h>

#include "common.hpp"
#include "table.hpp"

namespace tenfold::cli {
namespace {

// Text for roff: a backslash, a hyphen and a quote are not commands, nor is a dot that begins a
// line.
std::string roff(std::string_view text) {
  std::string result;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && c == '.') result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '\'') {
      result += "\\(aq";
    } else {
      result += c;
    }
    at_start = c == '\n';
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with('\n')) text.remove_prefix(1);
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

// "FILE..." or "[OP]".
std::string placeholder(const OptionRow& argument) {
  const std::string name = argument.value + (argument.is_repeatable ? "..." : "");
  return argument.is_required ? name : "[" + name + "]";
}

std::string paragraph_of(const OptionRow& option) {
  std::string heading;
  for (const std::string& name : option.names) {
    if (!heading.empty()) heading += ", ";
    heading += "\\fB" + roff(name) + "\\fR";
  }
  if (!option.value.empty()) {
    heading += fmt::format("{}\\fI{}\\fR", heading.empty() ? "" : " ", roff(option.value));
  }
  std::string text = fmt::format(".TP\n{}\n{}", heading, roff(option.description));
  if (!option.fallback.empty()) text += fmt::format(" (default: {})", roff(option.fallback));
  return text + (option.is_repeatable && !option.names.empty() ? "; may be repeated\n" : "\n");
}

// The end of a command's help: its words, and below "Examples:" lines as they are.
std::string footer_of(std::string_view footer) {
  constexpr std::string_view kTitle = "Examples:\n";
  const std::size_t examples = footer.find(kTitle);
  const std::string_view words = trimmed(footer.substr(0, examples));
  std::string text;
  if (!words.empty()) text += fmt::format(".PP\n{}\n", roff(words));
  if (examples != std::string_view::npos) {
    text += fmt::format(".PP\nExamples:\n.PP\n.nf\n{}\n.fi\n",
                        roff(trimmed(footer.substr(examples + kTitle.size()))));
  }
  return text;
}

std::string section_of(const CommandRow& command) {
  std::string text = fmt::format(".SS tenfold {}\n{}.\n.PP\n\\fBtenfold {}\\fR [OPTIONS]",
                                 command.name, roff(command.description), command.name);
  for (const OptionRow& argument : command.arguments) {
    text += fmt::format(" \\fI{}\\fR", roff(placeholder(argument)));
  }
  text += "\n";
  for (const OptionRow& argument : command.arguments) text += paragraph_of(argument);
  for (const OptionRow& option : command.options) text += paragraph_of(option);
  return text + footer_of(command.footer);
}

std::string page_of(const Table& table) {
  std::string text = fmt::format(
      ".TH TENFOLD 1 \"\" \"tenfold {}\" \"User Commands\"\n"
      ".SH NAME\ntenfold \\- reduce and contract tensors\n"
      ".SH SYNOPSIS\n\\fBtenfold\\fR \\fICOMMAND\\fR [OPTIONS] ...\n"
      ".SH DESCRIPTION\n{}\n.PP\n{}\n.SH OPTIONS\n",
      TENFOLD_VERSION, roff(table.general.description), roff(trimmed(table.general.footer)));
  for (const OptionRow& option : table.general.options) text += paragraph_of(option);
  text += ".SH COMMANDS\n";
  for (const CommandRow& command : table.commands) text += section_of(command);
  return text;
}

}  // namespace

Command add_man(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("man", "Print the manual page, in roff");
  sub->group("");  // for those who install the program
  sub->allow_extras();
  return {sub, [&app] { print(page_of(read_table(app))); }};
}

}  // namespace tenfold::cli
