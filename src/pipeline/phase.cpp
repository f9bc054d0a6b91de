// SPDX-License-Identifier: Apache-2.0
#include "pipeline/phase.h"

#include <array>

namespace dycl::pipeline {
namespace {

struct Row {
  Phase phase;
  std::string_view name;
  std::string_view description;
};

constexpr std::array kRows{
    Row{Phase::ImportOnnx, "import_onnx", "read the ONNX model and turn its control flow into blocks"},
    Row{Phase::Hcfg, "hcfg", "check the heterogeneous control-flow graph"},
    Row{Phase::Optimize, "optimize", "simplify the graph, pass by pass"},
    Row{Phase::Legalize, "legalize", "write each sub-DNN so that its backend computes it rightly"},
    Row{Phase::Subnet, "subnet", "write each sub-DNN as a graph of its own"},
    Row{Phase::Backend, "backend", "compile each distinct sub-DNN"},
    Row{Phase::HostGen, "host_gen", "write the host program that joins them"},
};

}  // namespace

std::string_view name_of(Phase phase) { return kRows[static_cast<std::size_t>(phase)].name; }
std::string_view description_of(Phase phase) { return kRows[static_cast<std::size_t>(phase)].description; }

std::optional<Phase> phase_from_name(std::string_view name) {
  for (const Row& row : kRows)
    if (row.name == name) return row.phase;
  return std::nullopt;
}

const std::vector<Phase>& all_phases() {
  static const std::vector<Phase> kPhases = [] {
    std::vector<Phase> phases;
    for (const Row& row : kRows) phases.push_back(row.phase);
    return phases;
  }();
  return kPhases;
}

}  // namespace dycl::pipeline
