// SPDX-License-Identifier: Apache-2.0
// The phases of a compilation. They have the names of the folders of src/ that do the work, except for
// `rewrite`, whose folder is partial_eval.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dycl::pipeline {

// A model passes through one of the first two, which make the graph.
enum class Phase { ImportOnnx, Rewrite, Hcfg, Optimize, Legalize, Subnet, CompileSubnets, HostGen };

std::string_view name_of(Phase phase);            // "import_onnx", "hcfg", …
std::string_view description_of(Phase phase);     // one sentence
Result<Phase> find_phase(std::string_view name);  // Blame::Usage: there is none of that name
const std::vector<Phase>& all_phases();
// Returns the phases of a model whose graph is made in phase `frontend`.
std::vector<Phase> phases_from(Phase frontend);
std::string names_of(const std::vector<Phase>& phases);  // "import_onnx, hcfg, …"

struct Progress {
  Phase phase = Phase::ImportOnnx;
  std::size_t done = 0;   // how many steps of the phase are done
  std::size_t total = 0;  // how many there are; 0 if that is not known
  std::string what;       // "sub-DNN s12"
};

struct PhaseTiming {
  Phase phase = Phase::ImportOnnx;
  double seconds = 0;
};

}  // namespace dycl::pipeline
