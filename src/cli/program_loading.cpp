// SPDX-License-Identifier: Apache-2.0
#include "cli/program_loading.h"

#include "backend/registry.h"

namespace dycl::cli {

void add_load_options(CLI::App& command, LoadArguments& arguments) {
  command.add_option("--threads", arguments.threads, "How many threads all backends share; 0: one per core")
      ->check(CLI::Range(0, 4096));
  command.add_flag("--allow-native", arguments.load.allow_native,
                   "Allow the package to contain machine code");
  add_repeatable(command, "--library", arguments.libraries, "Use this vendor library for a backend")
      ->type_name("BACKEND=PATH");
}

Result<std::shared_ptr<const runtime::LoadedProgram>> load_program(const LoadArguments& arguments,
                                                                   const Environment& environment) {
  auto libraries = parse_libraries(arguments.libraries, environment.search);
  if (!libraries) return failure_of(std::move(libraries));
  BackendRegistry registry(environment.search, std::move(*libraries), arguments.threads);
  return runtime::LoadedProgram::load_package(arguments.package, registry, arguments.load);
}

}  // namespace dycl::cli
