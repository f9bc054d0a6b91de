// SPDX-License-Identifier: Apache-2.0
// The phases of a compilation; their names equal the folders of src/ that do the work.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dycl::pipeline {

enum class Phase { ImportOnnx, Hcfg, Optimize, Legalize, Subnet, Backend, HostGen };

std::string_view name_of(Phase phase);         // "import_onnx", "hcfg", …
std::string_view description_of(Phase phase);  // one sentence
std::optional<Phase> phase_from_name(std::string_view name);
const std::vector<Phase>& all_phases();

struct Progress {
  Phase phase = Phase::ImportOnnx;
  std::size_t done = 0;   // within the phase
  std::size_t total = 0;  // 0: not known
  std::string what;       // "sub-DNN s12"
};

struct PhaseTiming {
  Phase phase = Phase::ImportOnnx;
  double seconds = 0;
};

}  // namespace dycl::pipeline
