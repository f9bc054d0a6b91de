// SPDX-License-Identifier: Apache-2.0
#include "pipeline/phase.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace dycl::pipeline {
namespace {

struct Row {
  Phase phase;
  std::string_view name;
  std::string_view description;
};

constexpr std::array kRows{
    Row{Phase::ImportOnnx, "import_onnx", "read the ONNX model and turn its control flow into blocks"},
    Row{Phase::Rewrite, "rewrite", "run what is known of the model and write the rest as a graph"},
    Row{Phase::Hcfg, "hcfg", "check the heterogeneous control-flow graph"},
    Row{Phase::Optimize, "optimize", "simplify the graph, pass by pass"},
    Row{Phase::Legalize, "legalize", "write each sub-DNN so that its backend computes it rightly"},
    Row{Phase::Subnet, "subnet", "write each sub-DNN as a graph of its own"},
    Row{Phase::CompileSubnets, "compile_subnets",
        "compile each distinct sub-DNN, and time those that several backends can run"},
    Row{Phase::HostGen, "host_gen", "write the host plan that joins the sub-DNNs"},
};

}  // namespace

std::string_view name_of(Phase phase) { return kRows[static_cast<std::size_t>(phase)].name; }
std::string_view description_of(Phase phase) { return kRows[static_cast<std::size_t>(phase)].description; }

Result<Phase> find_phase(std::string_view name) {
  for (const Row& row : kRows)
    if (row.name == name) return row.phase;
  return fail(Blame::Usage, "argument.phase", fmt::format("there is no phase '{}'", name), {},
              "phases: " + names_of(all_phases()));
}

const std::vector<Phase>& all_phases() {
  static const std::vector<Phase> kPhases = [] {
    std::vector<Phase> phases;
    for (const Row& row : kRows) phases.push_back(row.phase);
    return phases;
  }();
  return kPhases;
}

std::vector<Phase> phases_from(Phase frontend) {
  std::vector<Phase> phases{frontend};
  std::ranges::copy_if(all_phases(), std::back_inserter(phases),
                       [](Phase phase) { return phase >= Phase::Hcfg; });
  return phases;
}

std::string names_of(const std::vector<Phase>& phases) {
  std::string names;
  for (const Phase phase : phases) names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(phase));
  return names;
}

}  // namespace dycl::pipeline
