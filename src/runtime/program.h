// SPDX-License-Identifier: Apache-2.0
// A program ready to run: its plan in a compact form and every distinct sub-DNN loaded once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/discovery.h"
#include "base/result.h"
#include "package/artifact.h"

namespace dycl {

struct FlatPlan;  // runtime/flat_plan.h

// Backend name → opened backend. One entry serves every program that the process loads.
using OpenedBackends = std::map<std::string, std::shared_ptr<const Backend>>;

struct LoadOptions {
  // Instructions that one run may take; 0: no limit. Stops loops that never end.
  std::uint64_t step_limit = 100'000'000;
};

// What a program is made of; counters of runs are in RunStats.
struct ProgramFacts {
  std::size_t instructions = 0;
  std::size_t subnets = 0;           // calls in the plan name these
  std::size_t distinct_subnets = 0;  // loaded executables
  std::size_t weight_bytes = 0;
};

// Immutable after loading; any number of threads may share it, with one RunSession each.
class LoadedProgram {
 public:
  // `backends` must hold every backend that the plan names. A plan with wild indices is refused here
  // (Blame::Package), so that a session can run without looking.
  static Result<std::shared_ptr<const LoadedProgram>> load(Artifact artifact, const OpenedBackends& backends,
                                                           const LoadOptions& options = {});

  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;
  ~LoadedProgram();

  [[nodiscard]] const Artifact& artifact() const { return artifact_; }
  [[nodiscard]] const std::vector<PlanPort>& inputs() const { return artifact_.plan.inputs; }
  [[nodiscard]] const std::vector<PlanPort>& outputs() const { return artifact_.plan.outputs; }
  [[nodiscard]] std::string type_text(const Type& type) const;  // "f32[batch,3]"
  [[nodiscard]] const ProgramFacts& facts() const { return facts_; }
  [[nodiscard]] const LoadOptions& options() const { return options_; }

  // For RunSession: the plan as it is walked, and the executable of a plan's sub-DNN.
  [[nodiscard]] const FlatPlan& flat_plan() const { return *flat_; }
  [[nodiscard]] const std::shared_ptr<const BackendExecutable>& executable(std::size_t subnet) const {
    return executables_[subnet];
  }

 private:
  LoadedProgram(Artifact artifact, const LoadOptions& options);
  Status load_subnets(const OpenedBackends& backends);

  Artifact artifact_;
  LoadOptions options_;
  ProgramFacts facts_;
  std::unique_ptr<const FlatPlan> flat_;
  std::vector<std::shared_ptr<const BackendExecutable>> executables_;  // one per PlanSubnet
};

// Opens each backend that the artifact's plan names and that `opened` does not hold yet. `options`
// is the template: its name is replaced.
Status open_backends(const Artifact& artifact, const BackendOptions& options, OpenedBackends& opened);

}  // namespace dycl
