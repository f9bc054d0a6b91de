// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "backend/registry.h"
#include "cli/command.h"
#include "cli/program_inputs.h"
#include "cli/record_runs.h"
#include "cli/sample_inputs.h"
#include "emit/emit.h"
#include "package/atomic_file.h"
#include "package/entry.h"
#include "package/package_file.h"
#include "runtime/session.h"

namespace dycl::cli {
namespace {

// How many runs on inputs of our own are recorded.
constexpr std::uint32_t kSamples = 4;
constexpr std::uint64_t kStepsOfSample = 100'000;

struct EmitArguments {
  std::string package;
  std::string output;
  std::string name;
  InputArguments inputs;  // what is recorded instead, if any is given
  bool allow_native = false;
  bool embed = false;
};

Failure cannot_write(const std::filesystem::path& path, const std::string& why) {
  return fail(Blame::Usage, "emit.cannot_write", fmt::format("{} cannot be written: {}", path.string(), why),
              {}, "choose a folder that you may write to");
}

Status make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return cannot_write(folder, error.message());
  return {};
}

Status write_files(const std::vector<emit::EmittedFile>& files, const std::filesystem::path& folder) {
  for (const emit::EmittedFile& file : files) {
    const std::filesystem::path path = folder / file.path;
    if (Status made = make_folder(path.parent_path()); !made) return made;
    const auto write = [&](const ByteSink& sink) { return sink(bytes_of(file.text)); };
    if (Status written = write_atomically(path, write); !written) return written;
  }
  return {};
}

bool has_inputs(const EmitArguments& arguments) {
  return !arguments.inputs.inputs.empty() || !arguments.inputs.archive.empty();
}

Result<std::vector<std::vector<runtime::RuntimeValue>>> inputs_to_record(const EmitArguments& arguments,
                                                                         const HostPlan& plan) {
  std::vector<std::vector<runtime::RuntimeValue>> all;
  if (has_inputs(arguments)) {
    auto given = read_inputs(plan, arguments.inputs);
    if (!given) return failure_of(std::move(given));
    all.push_back(std::move(*given));
    return all;
  }
  for (std::uint32_t seed = 0; seed < kSamples; ++seed) {
    auto made = sample_inputs(plan, seed);
    if (!made) return failure_of(std::move(made));
    all.push_back(std::move(*made));
  }
  return all;
}

// Runs the package as it is, so that the emitted program has something to be compared with.
Result<std::string> record(const EmitArguments& arguments, const Environment& environment) {
  BackendRegistry registry(environment.search, {}, 0);
  runtime::LoadOptions options;
  options.allow_native = arguments.allow_native;
  if (!has_inputs(arguments))  // inputs of our own may lead into loops that nobody means to run
    options.step_limit = kStepsOfSample;
  auto program = runtime::LoadedProgram::load_package(arguments.package, registry, options);
  if (!program) return failure_of(std::move(program));
  auto inputs = inputs_to_record(arguments, (*program)->artifact().plan);
  if (!inputs) return failure_of(std::move(inputs));
  runtime::RunSession session(*program);
  return record_runs(session, *inputs);
}

// Inputs that the user gave must be recorded; without them, a program without a test is a program.
Status write_recorded(const EmitArguments& arguments, const Environment& environment,
                      const std::filesystem::path& folder, Reporter& reporter) {
  auto recorded = record(arguments, environment);
  if (recorded) return write_files({{"test/recorded.bin", std::move(*recorded)}}, folder);
  if (has_inputs(arguments)) return failure_of(std::move(recorded));
  reporter.note("no runs were recorded for its test: " + recorded.error().message);
  return {};
}

Status emit_package(const EmitArguments& arguments, const Environment& environment, Reporter& reporter) {
  auto artifact = read_package(arguments.package);
  if (!artifact) return failure_of(std::move(artifact));
  const std::string name = emit::program_name(arguments.name.empty() ? arguments.package : arguments.name);
  const std::filesystem::path folder = arguments.output.empty() ? name : arguments.output;
  auto files = emit::emit_program(**artifact, {name, arguments.embed});
  if (!files) return failure_of(std::move(files));
  if (Status written = write_files(*files, folder); !written) return written;
  if (Status written = write_package(*artifact, folder / (name + ".dycl")); !written) return written;
  if (Status written = write_recorded(arguments, environment, folder, reporter); !written) return written;
  reporter.note(fmt::format("wrote {} files to {}: see {}", files->size() + 1, folder.string(),
                            (folder / "README.md").string()));
  return {};
}

}  // namespace

void add_emit_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<EmitArguments>();
  CLI::App& command =
      *app.add_subcommand("emit", "Write a .dycl package as a C++ program that an application compiles in");
  command.footer(
      "The folder holds C++17 with a C header, a CMakeLists.txt, an example, and the package with the "
      "weights.\n"
      "Examples:\n  dycl emit net.dycl                    writes the folder net\n"
      "  dycl emit net.dycl -o out --name skipnet");
  command.add_option("package", arguments->package, "The package to write as a program")
      ->required()
      ->type_name("PKG");
  command.add_option("-o,--output", arguments->output, "The folder to write (default: the program's name)")
      ->type_name("FOLDER");
  command
      .add_option("--name", arguments->name, "What the functions begin with (default: the package's name)")
      ->type_name("NAME");
  add_repeatable(command, "--input", arguments->inputs.inputs,
                 "An input that is recorded for the test, as for dycl run (default: inputs of its own)");
  command.add_option("--inputs", arguments->inputs.archive, "Inputs that are recorded for the test, by name")
      ->type_name("NPZ");
  command.add_flag("--embed", arguments->embed,
                   "Make the package part of the program, rather than a file beside it");
  command.add_flag("--allow-native", arguments->allow_native,
                   "Let machine code of the package run, to record the test");
  add_verbosity_options(command, invocation);
  command.callback([arguments, &invocation] {
    invocation.action = [arguments, environment = invocation.environment](Reporter& reporter) {
      return emit_package(*arguments, environment, reporter);
    };
  });
}

}  // namespace dycl::cli
