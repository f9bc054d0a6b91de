// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/overloaded.h"
#include "cli/artifact_summary.h"
#include "package/plan_flow.h"

namespace dycl::cli {
namespace {

std::string dot_escaped(std::string_view text) {
  std::string result;
  for (const char character : text) {
    if (character == '"' || character == '\\') result.push_back('\\');
    result.push_back(character == '\n' ? ' ' : character);
  }
  return result;
}

std::string slots_text(const std::vector<SlotIndex>& slots) {
  return fmt::format("{}", fmt::join(slots, " "));
}

std::string line_of(const HostPlan& plan, const PlanOperation& operation) {
  return std::visit(
      Overloaded{
          [&](const PlanCall& call) {
            const std::string name = call.subnet < plan.subnets.size() ? plan.subnets[call.subnet].name : "?";
            return fmt::format("{} ← call {}({})", slots_text(call.outputs), name, slots_text(call.inputs));
          },
          [](const PlanHost& host) {
            return fmt::format("{} ← {}({})", slots_text(host.outputs), name_of(host.op),
                               slots_text(host.inputs));
          },
          [](const PlanJump&) { return std::string(); },
          [](const PlanBranch& branch) { return fmt::format("branch {}", branch.condition); },
          [](const PlanSwitch& choice) { return fmt::format("switch {}", choice.index); },
          [](const PlanReturn& result) { return fmt::format("return {}", slots_text(result.values)); },
          [](const PlanRaise& raise) { return fmt::format("raise {}: {}", raise.type, raise.format); }},
      operation);
}

}  // namespace

std::string artifact_dot(const Artifact& artifact) {
  const HostPlan& plan = artifact.plan;
  std::string nodes;
  std::string edges;
  for (const PlanRange& block : blocks_of(plan)) {
    std::string label = fmt::format("{}:\\l", block.begin);
    for (std::uint32_t index = block.begin; index < block.end; ++index) {
      const std::string line = line_of(plan, plan.code[index].operation);
      if (!line.empty()) label += "  " + dot_escaped(line) + "\\l";
      for (const LabelledEdge& way : edges_of(plan.code[index].operation))
        edges += fmt::format("  b{} -> b{} [label=\"{}\"];\n", block.begin, way.edge->target, way.label);
    }
    nodes += fmt::format("  b{} [label=\"{}\"];\n", block.begin, label);
  }
  return fmt::format("digraph dycl {{\n  node [shape=box, fontname=monospace];\n{}{}}}\n", nodes, edges);
}

}  // namespace dycl::cli
