// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "export_onnx/onnx_file.h"
#include "package/package_file.h"

namespace dycl::cli {
namespace {

struct ExportArguments {
  std::string package;
  std::string output;
};

Status export_package(const ExportArguments& arguments, Reporter& reporter) {
  auto artifact = read_package(arguments.package);
  if (!artifact) return failure_of(std::move(artifact));
  const std::string output = arguments.output.empty()
                                 ? std::filesystem::path(arguments.package).stem().string() + ".onnx"
                                 : arguments.output;
  if (Status place = check_package_place(output); !place) return place;
  if (Status written = export_onnx::export_onnx_file(**artifact, output); !written) return written;
  reporter.note("wrote " + file_text(output));
  return {};
}

}  // namespace

void add_export_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App& command =
      *app.add_subcommand("export", "Write a .dycl package as one ONNX file with If and Loop");
  command.footer(
      "Examples:\n  dycl export net.dycl                    writes net.onnx\n"
      "  dycl export net.dycl -o portable.onnx");
  command.add_option("package", arguments->package, "The package to export")->required()->type_name("PKG");
  command.add_option("-o,--output", arguments->output, "The file to write (default: the package's name)")
      ->type_name("FILE");
  add_verbosity_options(command, invocation);
  command.callback([arguments, &invocation] {
    invocation.action = [arguments](Reporter& reporter) { return export_package(*arguments, reporter); };
  });
}

}  // namespace dycl::cli
