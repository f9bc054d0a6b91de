// SPDX-License-Identifier: Apache-2.0
#include "compile_subnets/subnet_compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/machine.h"
#include "base/sha256.h"
#include "compile_subnets/in_parallel.h"
#include "compile_subnets/refused_node.h"
#include "compile_subnets/subnet_timing.h"
#include "subnet/backend_inference.h"

namespace dycl::compile_subnets {
namespace {

// The first of the backends that is another one.
std::string way_out(const subnet::SubnetInstance& subnet, const std::vector<std::string>& known) {
  const auto other = std::ranges::find_if(known, [&](const auto& name) { return name != subnet.backend; });
  if (other == known.end()) return "";
  return fmt::format(
      "another backend may take this sub-DNN alone: --backend {0}={1} --backend {2}, in Python "
      "backend={{\"{0}\": \"{1}\", \"*\": \"{2}\"}}",
      subnet.name, *other, subnet.backend);
}

}  // namespace

SubnetCompiler::SubnetCompiler(Hcfg& graph, SubnetOptions options, const Placement& placement,
                               Backends backends, Report report)
    : graph_(graph),
      options_(std::move(options)),
      placement_(placement),
      backends_(std::move(backends)),
      report_(std::move(report)) {}

Status SubnetCompiler::legalize() {
  for (const auto& [name, backend] : backends_) {
    Result<std::vector<legalize::LegalSubnet>> subnets =
        legalize::legalize_subnets(graph_, backend->description());
    if (!subnets) return failure_of(std::move(subnets));
    legal_.emplace(name, std::move(*subnets));
  }
  return {};
}

std::string SubnetCompiler::print_legal() const {
  std::string text;
  for (const auto& [name, subnets] : legal_)
    text += fmt::format("// for {}\n{}", name, legalize::print_legal(graph_, subnets));
  return text;
}

Status SubnetCompiler::stamp() {
  for (const auto& [name, backend] : backends_) {
    Result<std::vector<subnet::SubnetInstance>> subnets =
        subnet::stamp_subnets(graph_, legal_.at(name), backend->description());
    if (!subnets) return failure_of(std::move(subnets));
    stamped_.emplace(name, std::move(*subnets));
  }
  for (const subnet::SubnetInstance& subnet : stamped_.begin()->second) {
    std::vector<std::string> names = placement_.candidates(graph_, subnet);
    std::erase_if(names, [&](const std::string& name) { return !backends_.contains(name); });
    candidates_.push_back(std::move(names));
  }
  constants_.update(graph_);
  return {};
}

SubnetCompiler::Job& SubnetCompiler::job_of(const std::string& backend, std::size_t index) {
  return jobs_[{stamped_.at(backend)[index].hash, backend}];
}

void SubnetCompiler::plan_jobs() {
  for (std::size_t index = 0; index < candidates_.size(); ++index)
    for (const std::string& backend : candidates_[index]) {
      Job& job = job_of(backend, index);
      if (job.subnet == nullptr) job.subnet = &stamped_.at(backend)[index];
      job.is_alone = job.is_alone || candidates_[index].size() == 1;
    }
}

Status SubnetCompiler::run_jobs() {
  std::vector<Job*> apart;
  std::vector<Job*> here;
  for (const auto& [name, subnets] : stamped_)  // in the order of the graph, for progress and for failures
    for (const subnet::SubnetInstance& subnet : subnets) {
      const auto found = jobs_.find({subnet.hash, name});
      if (found == jobs_.end() || found->second.subnet != &subnet) continue;
      (backends_.at(name)->description().compiles_apart ? apart : here).push_back(&found->second);
    }
  if (Status status = run_all(here, false); !status) return status;
  return run_all(apart, true);
}

// Threads that wait cost little: the plugin itself bounds the processes, and lets equals wait for one.
Status SubnetCompiler::run_all(const std::vector<Job*>& jobs, bool at_once) {
  constexpr std::size_t kThreads = 64;
  if (at_once && !jobs.empty()) {
    report_(0, jobs.size(), "sub-DNNs");
    return in_parallel(
        jobs.size(), kThreads, [&](std::size_t index) { return run(*jobs[index]); },
        [&](std::size_t done) { report_(done, jobs.size(), "sub-DNNs"); });
  }
  for (std::size_t index = 0; index < jobs.size(); ++index) {
    report_(index, jobs.size(), "sub-DNN " + jobs[index]->subnet->name);
    if (Status status = run(*jobs[index]); !status) return status;
  }
  return {};
}

Status SubnetCompiler::run(Job& job) {
  const subnet::SubnetInstance& subnet = *job.subnet;
  Result<std::string> blob = blob_of(job);
  if (!blob) {
    job.failure = failure_of(std::move(blob));
    return job.is_alone ? job.failure : Status();
  }
  SubnetArtifact done{subnet.graph.onnx, subnet.weights, {}, subnet.aten};
  if (!blob->empty()) done.blobs.emplace(subnet.backend, std::move(*blob));
  job.done = std::make_unique<SubnetArtifact>(std::move(done));
  return {};
}

BackendGraph SubnetCompiler::graph_of(const subnet::SubnetInstance& subnet) const {
  return {subnet.graph.onnx, subnet::weights_of(graph_, constants_, subnet.graph), subnet.aten,
          compile_options()};
}

std::string SubnetCompiler::compile_options() const {
  nlohmann::json options = nlohmann::json::object();
  if (options_.cache != nullptr) options["cache"] = options_.cache->folder().string();
  if (options_.jobs > 0) options["jobs"] = options_.jobs;
  return options.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Everything that a blob depends on. Weights are named by their contents.
std::string SubnetCompiler::cache_key(const subnet::SubnetInstance& subnet) const {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", DYCL_VERSION, backends_.at(subnet.backend)->identity(),
                     fmt::join(processor_features(), " "), sha256_hex(subnet.graph.onnx),
                     sha256_hex(subnet.aten), fmt::join(subnet.weights, " "));
}

Result<std::string> SubnetCompiler::blob_of(const Job& job) const {
  if (options_.cache == nullptr || backends_.at(job.subnet->backend)->description().remembers)
    return compile(job);
  const std::string key = cache_key(*job.subnet);
  if (auto blob = options_.cache->find("subnets", key)) return std::move(*blob);
  Result<std::string> blob = compile(job);
  if (blob) options_.cache->keep("subnets", key, *blob);
  return blob;
}

Failure SubnetCompiler::add_position(Diagnostic error, const subnet::SubnetInstance& subnet,
                                     std::size_t node) const {
  const auto& step = std::get<SubnetStep>(graph_.blocks[subnet.block.index()].steps[subnet.step]);
  if (!error.span.known()) error.span = graph_.source(subnet.graph.sources[node]);
  error.notes.push_back(fmt::format("in sub-DNN {} with {} operations", subnet.name, step.ops.size()));
  return Failure(std::move(error));
}

Failure SubnetCompiler::refused(const Job& job, const BackendGraph& graph, const Refusal& refusal) const {
  const subnet::SubnetInstance& subnet = *job.subnet;
  const std::size_t node =  // to look for it takes time, and of one among several nobody asks where
      job.is_alone ? refused_node(*backends_.at(subnet.backend), graph, subnet.graph.sources.size(), refusal)
                   : 0;
  return add_position({Blame::Backend,
                       "backend.refused",
                       fmt::format("{} cannot run this: {}", subnet.backend, refusal.reason),
                       {},
                       way_out(subnet, options_.known),
                       {}},
                      subnet, node);
}

Result<std::string> SubnetCompiler::compile(const Job& job) const {
  const Backend& backend = *backends_.at(job.subnet->backend);
  const BackendGraph graph = graph_of(*job.subnet);
  Result<std::optional<Refusal>> refusal = backend.check(graph);
  if (!refusal) return add_position(std::move(refusal.error()), *job.subnet, 0);
  if (*refusal) return refused(job, graph, **refusal);
  Result<std::string> blob = backend.compile(graph);
  if (!blob) return add_position(std::move(blob.error()), *job.subnet, 0);
  return blob;
}

std::map<std::string, double> SubnetCompiler::timed(const std::vector<Job*>& jobs) const {
  std::vector<Contender> contenders;
  for (const Job* job : jobs) {
    const auto blob = job->done->blobs.find(job->subnet->backend);
    auto executable = backends_.at(job->subnet->backend)
                          ->load(graph_of(*job->subnet),
                                 blob == job->done->blobs.end() ? std::string_view() : blob->second);
    if (executable) contenders.push_back({job->subnet->backend, &job->subnet->graph, std::move(*executable)});
  }
  return time_contenders(graph_, contenders);
}

Result<std::string> SubnetCompiler::chosen_for(std::size_t index, Artifact& artifact) {
  const std::vector<std::string>& names = candidates_[index];
  if (names.size() == 1) return names.front();
  std::vector<std::string> hashes;
  std::vector<Job*> able;
  for (const std::string& name : names) {
    Job& job = job_of(name, index);
    hashes.push_back(job.subnet->hash);
    if (job.done != nullptr) able.push_back(&job);
  }
  if (able.empty()) {
    Job& first = job_of(names.front(), index);
    first.is_alone = true;  // what it says of the refusal is what the user reads
    return failure_of(run(first));
  }
  if (const auto known = choices_.find(hashes); known != choices_.end()) return known->second;
  SubnetChoice told = choice_of(able);
  const std::string choice = told.backend;
  choices_.emplace(std::move(hashes), choice);
  for (const std::string& name : names)
    if (const Job& job = job_of(name, index); job.done == nullptr)
      told.refused[name] = job.failure.error().message;
  artifact.choices[job_of(choice, index).subnet->hash] = std::move(told);
  return choice;
}

// Timings are remembered too: the same model gets the same program.
SubnetChoice SubnetCompiler::choice_of(const std::vector<Job*>& jobs) const {
  using Times = std::map<std::string, std::int64_t>;
  std::string key = "choice";
  for (const Job* job : jobs) key += "\n" + cache_key(*job->subnet);
  SubnetChoice choice;
  const auto known = options_.cache == nullptr ? std::nullopt : options_.cache->find("choices", key);
  if (known) {
    choice.nanoseconds = nlohmann::json::parse(*known).get<Times>();
  } else {
    for (const auto& [name, seconds] : timed(jobs)) choice.nanoseconds[name] = std::llround(seconds * 1e9);
    if (options_.cache != nullptr)
      options_.cache->keep("choices", key, nlohmann::json(choice.nanoseconds).dump());
  }
  const auto fastest = std::ranges::min_element(choice.nanoseconds, {}, &Times::value_type::second);
  choice.backend = fastest == choice.nanoseconds.end() ? jobs.front()->subnet->backend : fastest->first;
  return choice;
}

void SubnetCompiler::store(Job& job, Artifact& artifact) {
  const subnet::SubnetInstance& subnet = *job.subnet;
  for (std::size_t weight = 0; weight < subnet.weights.size(); ++weight)
    artifact.weights.emplace(subnet.weights[weight], *constants_.find(graph_, subnet.graph.weights[weight]));
  const BackendDescription& backend = backends_.at(subnet.backend)->description();
  artifact.backends.emplace(backend.name, BackendStamp{backend.version, backend.deterministic_blob});
  const auto [entry, is_new] = artifact.subnets.try_emplace(subnet.hash);
  if (is_new)
    entry->second = std::move(*job.done);
  else  // another backend has the same graph
    entry->second.blobs.merge(job.done->blobs);
}

Status SubnetCompiler::compile(Artifact& artifact) {
  plan_jobs();
  if (Status status = run_jobs(); !status) return status;
  std::vector<std::string> chosen;  // backends
  std::set<Job*> used;
  for (std::size_t index = 0; index < candidates_.size(); ++index) {
    if (candidates_[index].size() > 1) report_(index, candidates_.size(), "timing sub-DNNs");
    Result<std::string> backend = chosen_for(index, artifact);
    if (!backend) return failure_of(std::move(backend));
    used.insert(&job_of(*backend, index));
    chosen.push_back(std::move(*backend));
  }
  for (Job* job : used) store(*job, artifact);
  for (std::size_t index = 0; index < chosen.size(); ++index)
    chosen_.push_back(std::move(stamped_.at(chosen[index])[index]));
  return {};
}

}  // namespace dycl::compile_subnets
