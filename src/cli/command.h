// SPDX-License-Identifier: Apache-2.0
// What the subcommands share. Each subcommand adds itself to the parser and stores its work as an action,
// which runs after parsing, so that no work starts if the arguments are wrong.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/environment.h"
#include "cli/reporter.h"

namespace dycl::cli {

// The hint for what this binary cannot do without Python.
inline constexpr const char* kNeedsPython =
    "this needs Python: use the command dycl of the Python package, or python -m dycl";

// Commands that only Python's dycl has; this one names them to say where they are.
const std::vector<std::string>& python_commands();

using Action = std::function<Status(Reporter&)>;

struct Invocation {
  Environment environment;
  Verbosity verbosity = Verbosity::Normal;
  Action action;  // what the chosen subcommand does
};

void add_compile_command(CLI::App& app, Invocation& invocation);
void add_run_command(CLI::App& app, Invocation& invocation);
void add_export_command(CLI::App& app, Invocation& invocation);
void add_bench_command(CLI::App& app, Invocation& invocation);
void add_bundle_command(CLI::App& app, Invocation& invocation);
void add_emit_command(CLI::App& app, Invocation& invocation);
void add_inspect_command(CLI::App& app, Invocation& invocation);
void add_backends_command(CLI::App& app, Invocation& invocation);
void add_doctor_command(CLI::App& app, Invocation& invocation);
void add_cache_command(CLI::App& app, Invocation& invocation);
void add_completion_command(CLI::App& app, Invocation& invocation);

// Adds -v and -q.
void add_verbosity_options(CLI::App& command, Invocation& invocation);

// Adds a repeatable option that takes exactly one value each time, so that it cannot swallow positionals.
CLI::Option* add_repeatable(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                            const std::string& help);

// Writes the document to `file`, or to stdout if `file` is "-".
Status write_json(const nlohmann::json& document, const std::string& file);

// Returns a size for people: "1.5 MB".
std::string size_text(std::size_t bytes);

// Returns nothing for devices and pipes, which have no size.
std::optional<std::size_t> size_of_file(const std::string& file);

// Returns a file's name and size for people: "net.dycl (1.5 MB)".
std::string file_text(const std::string& file);

}  // namespace dycl::cli
