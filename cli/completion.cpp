// `tenfold completion`: the table of commands and options as a script for a shell's completion.
#include <fmt/format.h>

#include <memory>

#include "common.hpp"
#include "table.hpp"

namespace tenfold::cli {
namespace {

// `text` with each of `characters` behind a backslash.
std::string escaped(std::string_view text, std::string_view characters) {
  std::string result;
  for (const char c : text) {
    if (characters.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

// For all three shells; fish takes the backslash too.
std::string shell_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

std::vector<std::string> names_of(const std::vector<CommandRow>& commands) {
  std::vector<std::string> names;
  for (const CommandRow& command : commands) names.push_back(command.name);
  return names;
}

std::string names_of(const std::vector<OptionRow>& options) {
  std::vector<std::string> names;
  for (const OptionRow& option : options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return fmt::format("{}", fmt::join(names, " "));
}

// The first pattern of a case, "run:-i | run:--input".
std::string bash_pattern(const CommandRow& command, const OptionRow& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(command.name + ":" + name);
  return fmt::format("{}", fmt::join(names, " | "));
}

std::string bash_values(std::string_view value) {
  const Values values = values_of(value);
  std::string code;
  if (!values.words.empty()) code += fmt::format(" words='{}'", fmt::join(values.words, " "));
  if (values.has_files) code += " files=1";
  return code;
}

// The words of the line are told apart by the same tables: options that take a value, and the
// arguments by their number.
std::string bash_script(const Table& table) {
  std::string takes, values, options;
  for (const CommandRow& command : table.commands) {
    for (const OptionRow& option : command.options) {
      if (option.value.empty()) continue;
      const std::string pattern = bash_pattern(command, option);
      takes += fmt::format("{}{}", takes.empty() ? "" : " | ", pattern);
      values += fmt::format("      {}){} ;;\n", pattern, bash_values(option.value));
    }
    options += fmt::format("      {}) words='{}' ;;\n", command.name, names_of(command.options));
  }
  std::string arguments;
  for (const CommandRow& command : table.commands) {
    for (std::size_t i = 0; i < command.arguments.size(); ++i) {
      const OptionRow& argument = command.arguments[i];
      arguments += fmt::format("      {}:{}){} ;;\n", command.name,
                               argument.is_repeatable ? "*" : std::to_string(i),
                               bash_values(argument.value));
    }
  }
  return fmt::format(R"(# bash completion for tenfold, written by 'tenfold completion bash'
_tenfold() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous= command= takes= words= files=
  local i word count=0
  COMPREPLY=()
  # bash makes three words of NAME=VALUE
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${{COMP_WORDS[i]}}
    if [[ $word == = ]]; then
      [[ -n $takes ]] || ((i++))
      continue
    fi
    if [[ -n $takes ]]; then
      takes=
      continue
    fi
    case $command:$word in
      {}) takes=1 previous=$word ;;
      *:-?*) ;;
      :*) command=$word ;;
      *) ((count++)) ;;
    esac
  done
  [[ $current == = ]] && current=
  if [[ -n $takes ]]; then
    case $command:$previous in
{}    esac
  elif [[ $current == -* ]]; then
    case $command in
      '') words='{}' ;;
{}    esac
  elif [[ -z $command ]]; then
    words='{}'
  else
    case $command:$count in
      *) [[ ${{COMP_WORDS[COMP_CWORD - 1]}} == = || ${{COMP_WORDS[COMP_CWORD]}} == = ]] && files=1 ;;&
{}    esac
  fi
  [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -f -- "$current")
  fi
}}
complete -F _tenfold tenfold
)",
                     takes, values, names_of(table.general.options), options,
                     fmt::join(names_of(table.commands), " "), arguments);
}

// Descriptions stand in brackets, parts between colons.
std::string zsh_text(std::string_view text) { return escaped(text, "[]:\\"); }

std::string zsh_values(std::string_view value) {
  const Values values = values_of(value);
  if (values.words.empty()) return values.has_files ? "_files" : " ";
  if (!values.has_files) return fmt::format("({})", fmt::join(values.words, " "));
  // Parts of the specification stand between colons.
  return fmt::format("_alternative \"words\\:word\\:({})\" \"files\\:file\\:_files\"",
                     fmt::join(values.words, " "));
}

std::string zsh_option(const OptionRow& option) {
  std::string spec, value;
  if (!option.value.empty()) {
    value = fmt::format(":{}:{}", zsh_text(option.value), zsh_values(option.value));
  }
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    const std::string shape = fmt::format("{}[{}]{}",
                                          name + (option.value.empty() ? ""
                                                  : is_long            ? "="
                                                                       : "+"),
                                          zsh_text(option.description), value);
    const std::string others =
        option.is_repeatable ? "*" : fmt::format("({})", fmt::join(option.names, " "));
    spec += fmt::format(" \\\n        {}", shell_quoted(others + shape));
  }
  return spec;
}

std::string zsh_script(const Table& table) {
  std::string commands, general, cases;
  for (const OptionRow& option : table.general.options) general += zsh_option(option);
  for (const CommandRow& command : table.commands) {
    commands += fmt::format("        {}\n",
                            shell_quoted(command.name + ":" + escaped(command.description, ":\\")));
    std::string specs;
    for (const OptionRow& option : command.options) specs += zsh_option(option);
    for (const OptionRow& argument : command.arguments) {
      specs += fmt::format(
          " \\\n        {}",
          shell_quoted(fmt::format("{}:{}:{}", argument.is_repeatable ? "*" : "",
                                   zsh_text(argument.value), zsh_values(argument.value))));
    }
    cases += fmt::format("        {}) _arguments{} ;;\n", command.name, specs);
  }
  return fmt::format(R"(#compdef tenfold
# zsh completion for tenfold, written by 'tenfold completion zsh'
_tenfold() {{
  local curcontext="$curcontext" state line
  typeset -A opt_args
  _arguments -C{} \
        '1:command:->command' '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
{}      )
      _describe command commands
      ;;
    argument)
      case $words[1] in
{}      esac
      ;;
  esac
}}
if [[ $funcstack[1] == _tenfold ]]; then
  _tenfold "$@"
else
  compdef _tenfold tenfold
fi
)",
                     general, commands, cases);
}

std::string fish_values(std::string_view value) {
  const Values values = values_of(value);
  std::string code = values.has_files ? " -F" : "";
  if (!values.words.empty()) code += fmt::format(" -a '{}'", fmt::join(values.words, " "));
  return code;
}

std::string fish_option(const OptionRow& option) {
  std::string line;
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.value.empty()) line += " -r" + fish_values(option.value);
  return line + " -d " + shell_quoted(escaped(option.description, "\\"));
}

std::string fish_script(const Table& table) {
  std::string text = R"(# fish completion for tenfold, written by 'tenfold completion fish'
complete -c tenfold -f
)";
  for (const OptionRow& option : table.general.options) {
    text += "complete -c tenfold -n __fish_use_subcommand" + fish_option(option) + "\n";
  }
  for (const CommandRow& command : table.commands) {
    text += fmt::format("complete -c tenfold -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        shell_quoted(escaped(command.description, "\\")));
    const std::string in_command =
        fmt::format("complete -c tenfold -n '__fish_seen_subcommand_from {}'", command.name);
    for (const OptionRow& option : command.options) {
      text += in_command + fish_option(option) + "\n";
    }
    for (const OptionRow& argument : command.arguments) {
      const std::string values = fish_values(argument.value);
      if (!values.empty()) text += in_command + values + "\n";
    }
  }
  return text;
}

}  // namespace

Command add_completion(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* sub = app.add_subcommand("completion", "Print a completion script for a shell");
  sub->group("");  // for those who install the program
  sub->allow_extras();
  sub->add_option("SHELL", *shell, "bash, zsh or fish")->required()->type_name("");
  return {sub, [shell, &app] {
            const Table table = read_table(app);
            if (*shell == "bash") return print(bash_script(table));
            if (*shell == "zsh") return print(zsh_script(table));
            if (*shell == "fish") return print(fish_script(table));
            throw usage_error("completion", "unknown shell", "bash, zsh or fish",
                              fmt::format("'{}'", *shell));
          }};
}

}  // namespace tenfold::cli
