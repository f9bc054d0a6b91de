// SPDX-License-Identifier: Apache-2.0
// A program ready to run: its plan in a compact form and every distinct sub-DNN loaded once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/registry.h"
#include "base/result.h"
#include "package/artifact.h"

namespace dycl::runtime {

struct FlatPlan;  // runtime/flat_plan.h

// Backend name → opened backend.
using OpenedBackends = std::map<std::string, std::shared_ptr<const Backend>>;

struct LoadOptions {
  // Instructions that one run may take; 0: no limit. Stops loops that never end.
  std::uint64_t step_limit = 100'000'000;
  int threads = 0;  // of all the backends that it runs on together; 0: as the registry has
  // Asked a few times a second during a run; true: the run ends with run.interrupted. May be empty.
  std::function<bool()> interrupted = {};
  bool allow_native = false;                 // blobs that may be machine code are loaded
  std::set<std::string> trusted_blobs = {};  // such blobs that are loaded anyway, by their sha256
};

// What a program is made of; counters of runs are in RunStats.
struct ProgramFacts {
  std::size_t instructions = 0;
  std::size_t subnets = 0;           // calls in the plan name these
  std::size_t distinct_subnets = 0;  // loaded executables
  std::size_t weight_bytes = 0;
  bool returns_structures = false;                 // each return its own: then the program lists no outputs
  std::vector<std::uint32_t> written_inputs = {};  // the caller's tensors that a run may give new contents
  std::map<std::string, int> threads;  // backend → those it computes with, the caller's own included
};

// Immutable after loading; any number of threads may share it, with one RunSession each.
class LoadedProgram {
  struct OnlyLoad {};

 public:
  // `backends` must hold every backend that the plan names. A plan with wild indices is refused here
  // (Blame::Package), so that a session runs without looking.
  static Result<std::shared_ptr<const LoadedProgram>> load(VerifiedArtifact artifact,
                                                           const OpenedBackends& backends,
                                                           const LoadOptions& options = {});
  // The same, opening through the registry, which shares backends between programs.
  static Result<std::shared_ptr<const LoadedProgram>> load(VerifiedArtifact artifact,
                                                           BackendRegistry& backends,
                                                           const LoadOptions& options = {});

  // Reads the package and loads it.
  static Result<std::shared_ptr<const LoadedProgram>> load_package(const std::filesystem::path& path,
                                                                   BackendRegistry& backends,
                                                                   const LoadOptions& options = {});

  LoadedProgram(OnlyLoad, VerifiedArtifact artifact, const LoadOptions& options,
                std::unique_ptr<FlatPlan> flat);
  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;
  ~LoadedProgram();

  [[nodiscard]] const Artifact& artifact() const { return *artifact_; }
  // What the caller gives; the states, which a session keeps from run to run, follow them in the plan.
  [[nodiscard]] std::span<const PlanPort> inputs() const;
  [[nodiscard]] std::span<const PlanPort> states() const;
  [[nodiscard]] const std::vector<PlanPort>& outputs() const { return artifact_->plan.outputs; }
  [[nodiscard]] std::string type_text(const Type& type) const;  // as in host_plan.h
  [[nodiscard]] const ProgramFacts& facts() const { return facts_; }
  [[nodiscard]] const LoadOptions& options() const { return options_; }

  // For RunSession: the plan as it is walked, and the executables that it names by index.
  [[nodiscard]] const FlatPlan& flat_plan() const { return *flat_; }
  [[nodiscard]] const std::vector<std::shared_ptr<const BackendExecutable>>& executables() const {
    return executables_;
  }

 private:
  Status load_subnets(const OpenedBackends& backends);

  VerifiedArtifact artifact_;
  LoadOptions options_;
  ProgramFacts facts_;
  std::unique_ptr<FlatPlan> flat_;                                     // not changed after loading
  std::vector<std::shared_ptr<const BackendExecutable>> executables_;  // distinct ones
};

}  // namespace dycl::runtime
