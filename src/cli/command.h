// SPDX-License-Identifier: Apache-2.0
// What the subcommands share. Each adds itself to the parser and leaves its work as an action, which
// runs after parsing, so that a mistake in the arguments never starts work.
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

// What this binary alone cannot do.
inline constexpr const char* kNeedsPython =
    "models that are Python need Python: use the command dycl of the Python package, or python -m dycl";

using Action = std::function<Status(Reporter&)>;

struct Invocation {
  Environment environment;
  Verbosity verbosity = Verbosity::Normal;
  Action action;  // of the chosen subcommand
};

void add_compile_command(CLI::App& app, Invocation& invocation);
void add_run_command(CLI::App& app, Invocation& invocation);
void add_export_command(CLI::App& app, Invocation& invocation);
void add_inspect_command(CLI::App& app, Invocation& invocation);
void add_backends_command(CLI::App& app, Invocation& invocation);
void add_doctor_command(CLI::App& app, Invocation& invocation);
void add_cache_command(CLI::App& app, Invocation& invocation);

// -v and -q
void add_verbosity_options(CLI::App& command, Invocation& invocation);

// A repeatable option that takes exactly one value each time, so that it cannot swallow positionals.
CLI::Option* add_repeatable(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                            const std::string& help);

// Writes to `file`, or to stdout when it is "-".
Status write_json(const nlohmann::json& document, const std::string& file);

// "1.5 MB"
std::string size_text(std::size_t bytes);

// Devices and pipes have no size.
std::optional<std::size_t> size_of_file(const std::string& file);

// "net.dycl (1.5 MB)"
std::string file_text(const std::string& file);

}  // namespace dycl::cli
