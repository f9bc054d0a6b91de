// SPDX-License-Identifier: Apache-2.0
// Scripts that let a shell complete the words of the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace dycl::cli {

// Shells for which there is a script.
const std::vector<std::string>& completed_shells();

// Returns the script: commands, and the options of each; every other word is a file. `more` are commands that
// the parser does not know, because they need Python.
std::string completion_script(const CLI::App& app, std::string_view shell,
                              const std::vector<std::string>& more);

}  // namespace dycl::cli
