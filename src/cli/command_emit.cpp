// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "emit/emit.h"
#include "package/atomic_file.h"
#include "package/entry.h"
#include "package/package_file.h"

namespace dycl::cli {
namespace {

struct EmitArguments {
  std::string package;
  std::string output;
  std::string name;
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

Status emit_package(const EmitArguments& arguments, Reporter& reporter) {
  auto artifact = read_package(arguments.package);
  if (!artifact) return failure_of(std::move(artifact));
  const std::string name = emit::program_name(arguments.name.empty() ? arguments.package : arguments.name);
  const std::filesystem::path folder = arguments.output.empty() ? name : arguments.output;
  auto files = emit::emit_program(**artifact, name);
  if (!files) return failure_of(std::move(files));
  if (Status written = write_files(*files, folder); !written) return written;
  if (Status written = write_package(*artifact, folder / (name + ".dycl")); !written) return written;
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
  add_verbosity_options(command, invocation);
  command.callback([arguments, &invocation] {
    invocation.action = [arguments](Reporter& reporter) { return emit_package(*arguments, reporter); };
  });
}

}  // namespace dycl::cli
