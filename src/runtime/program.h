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
  // A run stops after so many instructions, in case a loop never ends; 0: no limit.
  std::uint64_t step_limit = 100'000'000;
  int threads = 0;  // that all backends of the program share; 0: as many as the registry has
  // This is called a few times a second during a run; if it returns true, the run ends with run.interrupted.
  // It may be empty.
  std::function<bool()> interrupted = {};
  bool allow_native = false;                 // whether blobs may be machine code
  std::set<std::string> trusted_blobs = {};  // blobs that may be machine code in any case, by their sha256
};

// Counts the parts of a program; RunStats counts what its runs do.
struct ProgramFacts {
  std::size_t instructions = 0;
  std::size_t subnets = 0;           // the sub-DNNs that calls in the plan name
  std::size_t distinct_subnets = 0;  // the executables that are loaded
  std::size_t weight_bytes = 0;
  bool returns_structures = false;                 // if so, the program lists no outputs
  std::vector<std::uint32_t> written_inputs = {};  // the inputs to which a run may give new contents
  std::map<std::string, int> threads;  // how many each backend computes with, the caller's own included
};

// A loaded program is immutable; any number of threads may share it, with one RunSession each.
class LoadedProgram {
  struct OnlyLoad {};

 public:
  // Loads the program. `backends` must hold every backend that the plan names. A plan with indices out of
  // range is refused here (Blame::Package), so that a session need not check them.
  static Result<std::shared_ptr<const LoadedProgram>> load(VerifiedArtifact artifact,
                                                           const OpenedBackends& backends,
                                                           const LoadOptions& options = {});
  // Does the same, but opens the backends through the registry, which shares them between programs.
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
  // Returns the inputs that the caller gives. In the plan, the states follow them, which a session keeps
  // between runs.
  [[nodiscard]] std::span<const PlanPort> inputs() const;
  [[nodiscard]] std::span<const PlanPort> states() const;
  [[nodiscard]] const std::vector<PlanPort>& outputs() const { return artifact_->plan.outputs; }
  [[nodiscard]] std::string type_text(const Type& type) const;  // as in host_plan.h
  [[nodiscard]] const ProgramFacts& facts() const { return facts_; }
  [[nodiscard]] const LoadOptions& options() const { return options_; }

  // RunSession needs these: the flat plan, and the executables that it names by index.
  [[nodiscard]] const FlatPlan& flat_plan() const { return *flat_; }
  [[nodiscard]] const std::vector<std::shared_ptr<const BackendExecutable>>& executables() const {
    return executables_;
  }
  // Returns the index of the executable of the plan's sub-DNN.
  [[nodiscard]] std::uint32_t executable_of(std::size_t subnet) const;

 private:
  Status load_subnets(const OpenedBackends& backends);

  VerifiedArtifact artifact_;
  LoadOptions options_;
  ProgramFacts facts_;
  std::unique_ptr<FlatPlan> flat_;                                     // not changed after loading
  std::vector<std::shared_ptr<const BackendExecutable>> executables_;  // distinct ones
};

}  // namespace dycl::runtime
