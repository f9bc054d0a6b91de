// SPDX-License-Identifier: Apache-2.0
#include "runtime/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "package/package_file.h"
#include "runtime/flat_plan.h"
#include "runtime/native_code.h"

namespace dycl::runtime {
namespace {

Failure bad_subnet(const PlanSubnet& subnet, std::string_view what) {
  return fail(Blame::Package, "package.bad_plan", fmt::format("sub-DNN '{}' {}", subnet.name, what), {},
              "the program was damaged or made by another version: compile it again");
}

bool returns_structures(const HostPlan& plan) {
  return std::ranges::any_of(plan.code, [](const PlanInstruction& instruction) {
    const auto* taken = std::get_if<PlanReturn>(&instruction.operation);
    return taken != nullptr && taken->tree != nullptr;
  });
}

Result<BackendGraph> graph_of(const Artifact& artifact, const PlanSubnet& subnet,
                              const SubnetArtifact& stored) {
  BackendGraph graph;
  graph.onnx = stored.graph;
  graph.aten = stored.aten;
  for (const std::string& name : stored.weights) {
    const auto found = artifact.weights.find(name);
    if (found == artifact.weights.end() || found->second == nullptr)
      return bad_subnet(subnet, fmt::format("needs weight '{}', which is not there", name));
    // Graphs name their weights by position, packages by contents.
    graph.weights.emplace_back(fmt::format("w{}", graph.weights.size()), found->second);
  }
  return graph;
}

Result<std::shared_ptr<const BackendExecutable>> load_subnet(const Artifact& artifact,
                                                             const PlanSubnet& subnet,
                                                             const Backend& backend) {
  const auto stored = artifact.subnets.find(subnet.hash);
  if (stored == artifact.subnets.end()) return bad_subnet(subnet, "is not in the package");
  auto graph = graph_of(artifact, subnet, stored->second);
  if (!graph) return failure_of(std::move(graph));
  const auto blob = stored->second.blobs.find(subnet.backend);
  auto executable =
      backend.load(*graph, blob == stored->second.blobs.end() ? std::string_view() : blob->second);
  if (!executable)
    executable.error().message =
        fmt::format("sub-DNN '{}' cannot be loaded: {}", subnet.name, executable.error().message);
  return executable;
}

}  // namespace

LoadedProgram::LoadedProgram(OnlyLoad, VerifiedArtifact artifact, const LoadOptions& options,
                             std::unique_ptr<FlatPlan> flat)
    : artifact_(std::move(artifact)), options_(options), flat_(std::move(flat)) {}

LoadedProgram::~LoadedProgram() = default;

Result<std::shared_ptr<const LoadedProgram>> LoadedProgram::load(VerifiedArtifact artifact,
                                                                 const OpenedBackends& backends,
                                                                 const LoadOptions& options) {
  if (Status allowed = check_native_code(*artifact, backends, options); !allowed)
    return failure_of(std::move(allowed));
  auto flat = flatten_plan(*artifact);
  if (!flat) return failure_of(std::move(flat));
  auto program = std::make_shared<LoadedProgram>(OnlyLoad{}, std::move(artifact), options, std::move(*flat));
  if (Status loaded = program->load_subnets(backends); !loaded) return failure_of(std::move(loaded));
  const HostPlan& plan = program->artifact().plan;
  const std::set<std::uint32_t> written = written_inputs_of_caller(plan);
  program->facts_ = {plan.code.size(),
                     plan.subnets.size(),
                     program->executables_.size(),
                     weight_bytes(program->artifact()),
                     returns_structures(plan),
                     {written.begin(), written.end()},
                     {}};
  for (const PlanSubnet& subnet : plan.subnets)
    program->facts_.threads.emplace(subnet.backend, backends.at(subnet.backend)->threads());
  return program;
}

Result<std::shared_ptr<const LoadedProgram>> LoadedProgram::load(VerifiedArtifact artifact,
                                                                 BackendRegistry& backends,
                                                                 const LoadOptions& options) {
  std::set<std::string> names;
  for (const PlanSubnet& subnet : artifact->plan.subnets) names.insert(subnet.backend);
  const int threads = options.threads > 0 ? options.threads : backends.threads();
  OpenedBackends opened;
  for (const std::string& name : names) {
    BackendOptions wanted;
    wanted.name = name;
    wanted.threads = std::max(1, threads / static_cast<int>(names.size()));
    wanted.precision = artifact->precision;
    auto backend = backends.open(std::move(wanted));
    if (!backend) return failure_of(std::move(backend));
    opened.emplace(name, std::move(*backend));
  }
  return load(std::move(artifact), opened, options);
}

Result<std::shared_ptr<const LoadedProgram>> LoadedProgram::load_package(const std::filesystem::path& path,
                                                                         BackendRegistry& backends,
                                                                         const LoadOptions& options) {
  auto artifact = read_package(path);
  if (!artifact) return failure_of(std::move(artifact));
  auto program = load(std::move(*artifact), backends, options);
  if (!program && program.error().blame == Blame::Package && !program.error().span.known())
    program.error().span.file = path.string();
  return program;
}

Status LoadedProgram::load_subnets(const OpenedBackends& backends) {
  std::map<std::pair<std::string, std::string>, std::uint32_t> known;
  for (std::size_t index = 0; index < artifact_->plan.subnets.size(); ++index) {
    const PlanSubnet& subnet = artifact_->plan.subnets[index];
    const auto [entry, is_new] =
        known.try_emplace({subnet.hash, subnet.backend}, static_cast<std::uint32_t>(executables_.size()));
    flat_->subnets[index].executable = entry->second;
    if (!is_new) continue;
    const auto backend = backends.find(subnet.backend);
    if (backend == backends.end())
      return fail(Blame::Usage, "run.no_backend",
                  fmt::format("the program needs backend '{}', which was not opened", subnet.backend));
    auto executable = load_subnet(*artifact_, subnet, *backend->second);
    if (!executable) return failure_of(std::move(executable));
    executables_.push_back(std::move(*executable));
  }
  return {};
}

std::uint32_t LoadedProgram::executable_of(std::size_t subnet) const {
  return flat_->subnets[subnet].executable;
}

std::span<const PlanPort> LoadedProgram::inputs() const {
  const std::vector<PlanPort>& ports = artifact_->plan.inputs;
  return {ports.begin(), std::ranges::find_if(ports, &PlanPort::is_state)};
}

std::span<const PlanPort> LoadedProgram::states() const {
  return std::span(artifact_->plan.inputs).subspan(inputs().size());
}

std::string LoadedProgram::type_text(const Type& type) const {
  return dycl::type_text(artifact_->plan, type);
}

}  // namespace dycl::runtime
