// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dycl::cli {
namespace {

std::vector<std::string> option_words(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_snames()) words.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  return words;
}

std::vector<std::string> command_words(const CLI::App& app, const std::vector<std::string>& more) {
  std::vector<std::string> words = more;
  for (const CLI::App* command : app.get_subcommands({})) words.push_back(command->get_name());
  return words;
}

// In single quotes nothing has a meaning, but the quote itself.
std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char character : text)
    quoted += character == '\'' ? std::string("'\\''") : std::string(1, character);
  return quoted + "'";
}

// Works in zsh, too, by its functions for bash.
std::string bash_script(const CLI::App& app, const std::vector<std::string>& more) {
  std::string cases;
  for (const CLI::App* command : app.get_subcommands({}))
    cases +=
        fmt::format("    {}) options='{}' ;;\n", command->get_name(), fmt::join(option_words(*command), " "));
  return fmt::format(R"(_dycl() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} options=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{} {}' -- "$word"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{}  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _dycl dycl
)",
                     fmt::join(command_words(app, more), " "), fmt::join(option_words(app), " "), cases);
}

std::string fish_script(const CLI::App& app, const std::vector<std::string>& more) {
  std::string script = "# Commands first; then the options of the one that was typed.\n";
  const auto command_line = [&](const std::string& name, const std::string& description) {
    script += fmt::format("complete -c dycl -n __fish_use_subcommand -f -a {} -d {}\n", name,
                          shell_quoted(description));
  };
  for (const std::string& name : more) command_line(name, "");
  for (const CLI::App* command : app.get_subcommands({})) {
    command_line(command->get_name(), command->get_description());
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames())
        script += fmt::format("complete -c dycl -n '__fish_seen_subcommand_from {}' -l {} -d {}\n",
                              command->get_name(), name, shell_quoted(option->get_description()));
  }
  return script;
}

}  // namespace

const std::vector<std::string>& completed_shells() {
  static const std::vector<std::string> shells{"bash", "zsh", "fish"};
  return shells;
}

std::string completion_script(const CLI::App& app, std::string_view shell,
                              const std::vector<std::string>& more) {
  if (shell == "fish") return fish_script(app, more);
  if (shell == "zsh") return "autoload -U +X bashcompinit && bashcompinit\n" + bash_script(app, more);
  return bash_script(app, more);
}

}  // namespace dycl::cli
