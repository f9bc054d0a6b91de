// SPDX-License-Identifier: Apache-2.0
#include "cli/application.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <new>

#include "cli/command.h"
#include "cli/suggestion.h"

namespace dycl::cli {
namespace {

constexpr const char* kDescription =
    "DyCL compiles neural networks with data-dependent control flow: it splits them into "
    "conditional-free sub-DNNs, compiles each with a static compiler and runs them as one program.";

constexpr const char* kFooter = R"(Examples:
  dycl compile model.onnx -o model.dycl --backend onnxruntime
  dycl run model.dycl --input x=1x3x32x32xf32=0.5 --input "n=i64=5"
  dycl run model.dycl --input x=@x.npy --output out.npz
  dycl inspect model.dycl --hcfg
  dycl export model.dycl -o portable.onnx

The commands explain and verify, and Python models (file.py:Name, package.module:name), need the Python
package, whose command has the same name.

Exit codes:
  0 done · 2 wrong usage or input · 3 the model uses something unsupported · 4 backend missing or failed
  5 package damaged or refused · 6 the model raised an exception · 70 a bug in DyCL

Environment:
  DYCL_BACKEND_PATH  folders with backend plugins, separated by ':'
  DYCL_VENDOR_PATH   folders with vendor libraries (a Python site-packages folder will do)
  NO_COLOR           if set, dycl prints no colours)";

int report(const Diagnostic& diagnostic) {
  std::cerr << "error: " << to_string(diagnostic) << std::endl;
  return exit_code(diagnostic.blame);
}

std::string hint_for(const std::string& word, const std::vector<std::string>& known,
                     const std::string& command) {
  const std::string nearest = nearest_word(word, known);
  return nearest.empty() ? command + " --help"
                         : fmt::format("did you mean '{}'? See {} --help", nearest, command);
}

int report_no_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known = python_commands();
  const bool needs_python = std::ranges::find(known, word) != known.end();
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  return report({Blame::Usage,
                 "argument.parse",
                 fmt::format("there is no command '{}'", word),
                 {},
                 needs_python ? kNeedsPython : hint_for(word, known, "dycl"),
                 {}});
}

// Of the words that the command does not know, the first option is what was mistyped.
std::string hint_for_option(const CLI::App& command, const std::string& name) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& option_name : option->get_lnames()) known.push_back("--" + option_name);
  for (const std::string& word : command.remaining())
    if (word.starts_with("--")) return hint_for(word.substr(0, word.find('=')), known, name);
  return name + " --help";
}

int report_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
  std::string command = "dycl";
  const CLI::App* innermost = &app;
  for (const CLI::App* chosen : app.get_subcommands()) {
    command += " " + chosen->get_name();
    innermost = chosen;
  }
  // The parser misses a subcommand before it notices the word that is none.
  if (const auto words = app.remaining(); app.get_subcommands().empty() && !words.empty())
    return report_no_command(app, words.front());
  return report({Blame::Usage, "argument.parse", error.what(), {}, hint_for_option(*innermost, command), {}});
}

int run_action(const Invocation& invocation) {
  const Environment& environment = invocation.environment;
  Reporter reporter(std::cerr, {invocation.verbosity, environment.terminal, environment.colour});
  const Status done = invocation.action(reporter);
  reporter.finish_progress();
  if (done) return 0;
  reporter.error(done.error());
  return exit_code(done.error().blame);
}

int parse_and_run(int argument_count, const char* const* arguments) {
  CLI::App app(kDescription, "dycl");
  app.set_version_flag("--version", std::string("dycl ") + DYCL_VERSION);
  app.footer(kFooter);
  app.require_subcommand(1);
  Invocation invocation{read_environment(), Verbosity::Normal, {}};
  add_compile_command(app, invocation);
  add_run_command(app, invocation);
  add_bench_command(app, invocation);
  add_inspect_command(app, invocation);
  add_export_command(app, invocation);
  add_emit_command(app, invocation);
  add_bundle_command(app, invocation);
  add_backends_command(app, invocation);
  add_doctor_command(app, invocation);
  add_cache_command(app, invocation);
  add_completion_command(app, invocation);
  // Asked first: --help anywhere would answer for a command that does not exist.
  const auto is_named = [&](const CLI::App* command) { return command->check_name(arguments[1]); };
  if (argument_count > 1 && arguments[1][0] != '-' && std::ranges::none_of(app.get_subcommands({}), is_named))
    return report_no_command(app, arguments[1]);
  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::ParseError& error) {
    return report_parse_error(app, error);
  }
  return run_action(invocation);
}

int parse_and_run_guarded(int argument_count, const char* const* arguments) {
  try {
    return parse_and_run(argument_count, arguments);
  } catch (const std::bad_alloc&) {
    return report({Blame::Usage, "internal.memory", "there is not enough memory", {}, "", {}});
  } catch (const std::exception& error) {
    return report(
        {Blame::Internal, "internal.bug", error.what(), {}, "this is a bug in DyCL, please report it", {}});
  }
}

// What is printed lies in a buffer: that a disk is full is seen when it is flushed, not before.
int flush_printed() {
  std::cout.flush();
  if (std::cout) return 0;
  const int error = errno;
  if (error == EPIPE) return 128 + SIGPIPE;  // whoever reads has seen enough
  return report({Blame::Usage,
                 "file.unwritable",
                 fmt::format("stdout cannot be written: {}", std::strerror(error)),
                 {},
                 "",
                 {}});
}

}  // namespace

int run_application(int argument_count, const char* const* arguments) {
  const int code = parse_and_run_guarded(argument_count, arguments);
  return code == 0 ? flush_printed() : code;
}

}  // namespace dycl::cli
