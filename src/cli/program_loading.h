// SPDX-License-Identifier: Apache-2.0
// How the commands that run a package load it.
#pragma once

#include <memory>

#include "cli/command.h"
#include "runtime/program.h"

namespace dycl::cli {

struct LoadArguments {
  std::string package;
  std::vector<std::string> libraries;
  int threads = 0;
  runtime::LoadOptions load;
};

// Adds --threads, --allow-native and --library.
void add_load_options(CLI::App& command, LoadArguments& arguments);

Result<std::shared_ptr<const runtime::LoadedProgram>> load_program(const LoadArguments& arguments,
                                                                   const Environment& environment);

}  // namespace dycl::cli
