// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>

#include "cli/command.h"
#include "cli/completion.h"

namespace dycl::cli {

void add_completion_command(CLI::App& app, Invocation& invocation) {
  auto shell = std::make_shared<std::string>();
  CLI::App& command =
      *app.add_subcommand("completion", "Print a script that lets a shell complete words of dycl");
  command.footer(
      "Examples:\n  source <(dycl completion bash)                 in ~/.bashrc\n"
      "  source <(dycl completion zsh)                  in ~/.zshrc\n"
      "  dycl completion fish > ~/.config/fish/completions/dycl.fish");
  command.add_option("shell", *shell, "The shell: bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember(completed_shells()))
      ->type_name("SHELL");
  command.callback([shell, &app, &invocation] {
    invocation.action = [shell, &app](Reporter&) -> Status {
      std::cout << completion_script(app, *shell, python_commands()) << std::flush;
      return {};
    };
  });
}

}  // namespace dycl::cli
