// SPDX-License-Identifier: Apache-2.0
// Compiles every distinct sub-DNN, for the backend that it is placed on or for the fastest.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/disk_cache.h"
#include "compile_subnets/placement.h"
#include "package/artifact.h"

namespace dycl::compile_subnets {

struct SubnetOptions {
  DiskCache* cache = nullptr;      // holds what was compiled before; if null, everything is compiled anew
  int jobs = 0;                    // how many worker processes may compile at once; 0: one per core
  std::vector<std::string> known;  // backends that the hint of a refusal may name
};

class SubnetCompiler {
 public:
  using Backends = std::map<std::string, std::shared_ptr<const Backend>>;
  using Report = std::function<void(std::size_t done, std::size_t total, std::string what)>;

  // Keeps references to the graph and the placement. Legalizing adds values to the graph.
  SubnetCompiler(Hcfg& graph, SubnetOptions options, const Placement& placement, Backends backends,
                 Report report);

  Status legalize();
  // Returns the graph as legalize() left it, for every backend.
  [[nodiscard]] std::string print_legal() const;
  Status stamp();
  // Fills the artifact with the sub-DNNs, their weights, the backends used and why they were chosen.
  Status compile(Artifact& artifact);
  // Returns each sub-DNN for the backend that was chosen for it.
  [[nodiscard]] const std::vector<subnet::SubnetInstance>& subnets() const { return chosen_; }

 private:
  struct Job {
    const subnet::SubnetInstance* subnet = nullptr;
    bool is_alone = false;  // whether no other backend may take its place
    std::unique_ptr<SubnetArtifact> done;
    Status failure;
  };
  using Key = std::pair<std::string, std::string>;  // hash, backend

  void plan_jobs();
  Status run_jobs();
  Status run_all(const std::vector<Job*>& jobs, bool at_once);
  Status run(Job& job);
  Result<std::string> blob_of(const Job& job) const;
  Result<std::string> compile(const Job& job) const;
  [[nodiscard]] Failure refused(const Job& job, const BackendGraph& graph, const Refusal& refusal) const;
  // Adds the source of a node, and the sub-DNN, to an error.
  [[nodiscard]] Failure add_position(Diagnostic error, const subnet::SubnetInstance& subnet,
                                     std::size_t node) const;
  [[nodiscard]] std::string cache_key(const subnet::SubnetInstance& subnet) const;
  Result<std::string> chosen_for(std::size_t index, Artifact& artifact);
  SubnetChoice choice_of(const std::vector<Job*>& jobs) const;
  std::map<std::string, double> timed(const std::vector<Job*>& jobs) const;
  [[nodiscard]] BackendGraph graph_of(const subnet::SubnetInstance& subnet) const;
  [[nodiscard]] std::string compile_options() const;
  Job& job_of(const std::string& backend, std::size_t index);
  void store(Job& job, Artifact& artifact);

  Hcfg& graph_;
  SubnetOptions options_;
  const Placement& placement_;
  Backends backends_;
  Report report_;
  ConstantTable constants_;
  std::map<std::string, std::vector<legalize::LegalSubnet>> legal_;     // by backend, all in one order
  std::map<std::string, std::vector<subnet::SubnetInstance>> stamped_;  // by backend, all in one order
  std::vector<std::vector<std::string>> candidates_;                    // by sub-DNN
  std::map<Key, Job> jobs_;
  std::map<std::vector<std::string>, std::string> choices_;  // hashes of the candidates → backend
  std::vector<subnet::SubnetInstance> chosen_;
};

}  // namespace dycl::compile_subnets
