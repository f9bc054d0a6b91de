// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <set>

#include "backend/plugin.h"
#include "backend/registry.h"
#include "bundle/bundle.h"
#include "cli/command.h"
#include "package/package_file.h"
#include "package/strip.h"
#include "runtime/program.h"

namespace dycl::cli {
namespace {

struct BundleArguments {
  std::string package;
  std::string output;
  std::vector<std::string> libraries;
  bool strip = false;
  bool no_system = false;
  bool allow_native = false;
};

std::set<std::string> backends_of(const HostPlan& plan) {
  std::set<std::string> backends;
  for (const PlanSubnet& subnet : plan.subnets) backends.insert(subnet.backend);
  return backends;
}

// Backends whose compiled sub-DNNs are machine code.
Result<std::set<std::string>> native_backends(const Artifact& artifact, const SearchPaths& search) {
  std::set<std::string> native;
  for (const std::string& backend : backends_of(artifact.plan)) {
    auto plugin = find_plugin(backend, search);
    if (!plugin) return failure_of(std::move(plugin));
    auto traits = read_traits(backend, *plugin);
    if (!traits) return failure_of(std::move(traits));
    if (traits->blob == BlobKind::Native) native.insert(backend);
  }
  return native;
}

// Loads the package, so that everything that it needs is loaded, too.
Status load_for_bundle(const BundleArguments& arguments, const Environment& environment,
                       const VerifiedArtifact& artifact, bundle::BundleRequest& request) {
  auto libraries = parse_libraries(arguments.libraries, environment.search);
  if (!libraries) return failure_of(std::move(libraries));
  BackendRegistry registry(environment.search, std::move(*libraries), 0);
  auto loaded = runtime::LoadedProgram::load(artifact, registry, {.allow_native = arguments.allow_native});
  if (!loaded) return failure_of(std::move(loaded));
  request.after = bundle::loaded_files();
  for (const std::string& name : backends_of(artifact->plan)) {
    BackendOptions wanted;
    wanted.name = name;
    auto backend = registry.open(std::move(wanted));
    if (!backend) return failure_of(std::move(backend));
    std::error_code error;
    const auto library = std::filesystem::canonical((*backend)->description().library, error);
    if (!error) request.versions.emplace(library, (*backend)->description().version);
  }
  return {};
}

Status bundle_package(const BundleArguments& arguments, const Environment& environment, Reporter& reporter) {
  bundle::BundleRequest request;
  request.before = bundle::loaded_files();  // before anything of a backend is
  auto artifact = read_package(arguments.package);
  if (!artifact) return failure_of(std::move(artifact));
  std::vector<std::string> lost;
  if (arguments.strip) {
    auto native = native_backends(**artifact, environment.search);
    if (!native) return failure_of(std::move(native));
    auto stripped = strip_unused(**artifact, *native, lost);
    if (!stripped) return failure_of(std::move(stripped));
    artifact = std::move(stripped);
  }
  request.folder = arguments.output;
  request.home = default_plugin_folders().front();
  request.system = !arguments.no_system;
  if (Status loaded = load_for_bundle(arguments, environment, *artifact, request); !loaded) return loaded;
  auto written = bundle::write_bundle(*artifact, request);
  if (!written) return failure_of(std::move(written));
  std::cout << bundle::sizes_table(*written) << std::flush;
  for (const std::string& what : lost) reporter.note("left out: " + what);
  for (const std::string& library : written->unlicensed)
    reporter.note("warning: no licence text was found for " + library);
  reporter.note(fmt::format("wrote {0}: {0}/run --help says how to run it", arguments.output));
  return {};
}

}  // namespace

void add_bundle_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<BundleArguments>();
  CLI::App& command =
      *app.add_subcommand("bundle", "Write a folder that holds a package and all that runs it");
  command.footer(
      "The folder holds the package, libdycl, the plugins and vendor libraries that the package needs, the "
      "C\n"
      "library, licences, and a table of sizes. It runs on a machine that has nothing else.\n\n"
      "Examples:\n  dycl bundle net.dycl -o net\n  net/run --input x=1x3x32x32xf32");
  command.add_option("package", arguments->package, "The package to bundle")->required()->type_name("PKG");
  command.add_option("-o,--output", arguments->output, "The folder to write")->required()->type_name("DIR");
  command.add_flag("--strip-unused", arguments->strip,
                   "Leave out of the package what no run needs, and say what is lost");
  command.add_flag("--no-system", arguments->no_system,
                   "Leave out the C and C++ libraries: the machine has its own, as new as those here");
  command.add_flag("--allow-native", arguments->allow_native, "Allow the package to contain machine code");
  add_repeatable(command, "--library", arguments->libraries, "Use this vendor library for a backend")
      ->type_name("BACKEND=PATH");
  add_verbosity_options(command, invocation);
  command.callback([arguments, &invocation] {
    invocation.action = [arguments, &invocation](Reporter& reporter) {
      return bundle_package(*arguments, invocation.environment, reporter);
    };
  });
}

}  // namespace dycl::cli
