// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/artifact_summary.h"
#include "cli/command.h"
#include "export_onnx/stored_graph.h"
#include "package/package_file.h"
#include "report/graph_dot.h"

namespace dycl::cli {
namespace {

struct InspectArguments {
  std::string package;
  bool dot = false;
  bool json = false;
  bool hcfg = false;
  bool verification = false;
};

// The table as `dycl verify` printed it; with --json all that it tells.
Status show_verification(const Artifact& artifact, const InspectArguments& arguments) {
  if (artifact.verification.empty())
    return fail(Blame::Usage, "cli.not_verified", "this package keeps no verification report", {},
                "compile with --verify, or add one: dycl verify PKG --model MODEL --keep");
  const auto document = nlohmann::json::parse(artifact.verification);
  if (arguments.json) return write_json(document, "-");
  std::cout << document.at("text").get<std::string>() << std::endl;
  return {};
}

Status draw(const Artifact& artifact) {
  Result<Hcfg> graph = export_onnx::graph_of(artifact);
  if (!graph) return failure_of(std::move(graph));
  std::cout << report::graph_dot(report::describe_graph(*graph, artifact)) << std::flush;
  return {};
}

Status inspect(const InspectArguments& arguments) {
  auto artifact = read_package(arguments.package);
  if (!artifact) return failure_of(std::move(artifact));
  if (arguments.verification) return show_verification(**artifact, arguments);
  if (arguments.json) return write_json(artifact_json(**artifact), "-");
  if (arguments.dot) return draw(**artifact);
  if (arguments.hcfg && (*artifact)->hcfg.empty())
    return failure_of(export_onnx::graph_of(**artifact));  // says why there is none
  if (arguments.hcfg)
    std::cout << (*artifact)->hcfg;
  else
    std::cout << artifact_text(**artifact);
  std::cout << std::flush;
  return {};
}

}  // namespace

void add_inspect_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<InspectArguments>();
  CLI::App& command = *app.add_subcommand("inspect", "Show what is inside a .dycl package");
  command.footer("Examples:\n  dycl inspect net.dycl\n  dycl inspect net.dycl --dot | dot -Tsvg > net.svg");
  command.add_option("package", arguments->package, "The package to show")->required()->type_name("PKG");
  auto* dot = command.add_flag("--dot", arguments->dot,
                               "Print the control-flow graph for Graphviz, with the lines of the model");
  auto* json = command.add_flag("--json", arguments->json, "Print the summary as JSON");
  auto* hcfg = command.add_flag("--hcfg", arguments->hcfg, "Print the control-flow graph as text");
  command
      .add_flag("--verification", arguments->verification,
                "Print the verification report that the package keeps; with --json as data")
      ->excludes(dot)
      ->excludes(hcfg);
  dot->excludes(json)->excludes(hcfg);
  json->excludes(hcfg);
  add_verbosity_options(command, invocation);
  command.callback([arguments, &invocation] {
    invocation.action = [arguments](Reporter&) { return inspect(*arguments); };
  });
}

}  // namespace dycl::cli
