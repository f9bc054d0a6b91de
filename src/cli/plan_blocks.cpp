// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_blocks.h"

#include <set>

#include "base/overloaded.h"

namespace dycl::cli {

std::vector<LabelledEdge> edges_of(const PlanOperation& operation) {
  using Edges = std::vector<LabelledEdge>;
  return std::visit(
      Overloaded{[](const PlanCall&) { return Edges{}; }, [](const PlanHost&) { return Edges{}; },
                 [](const PlanJump& jump) { return Edges{{jump.edge.target, ""}}; },
                 [](const PlanBranch& branch) {
                   return Edges{{branch.then_edge.target, "then"}, {branch.else_edge.target, "else"}};
                 },
                 [](const PlanSwitch& choice) {
                   Edges edges;
                   for (const PlanEdge& edge : choice.cases)
                     edges.push_back({edge.target, "case " + std::to_string(edges.size())});
                   edges.push_back({choice.fallback.target, "fallback"});
                   return edges;
                 },
                 [](const PlanReturn&) { return Edges{}; }, [](const PlanRaise&) { return Edges{}; }},
      operation);
}

std::vector<PlanBlock> blocks_of(const HostPlan& plan) {
  const auto size = static_cast<std::uint32_t>(plan.code.size());
  std::set<std::uint32_t> starts{0};
  for (std::uint32_t index = 0; index < size; ++index) {
    const PlanOperation& operation = plan.code[index].operation;
    for (const LabelledEdge& edge : edges_of(operation)) starts.insert(edge.target);
    const bool stays =
        std::holds_alternative<PlanCall>(operation) || std::holds_alternative<PlanHost>(operation);
    if (!stays) starts.insert(index + 1);
  }
  std::vector<PlanBlock> blocks;
  for (const std::uint32_t start : starts) {
    if (!blocks.empty()) blocks.back().end = start;
    if (start < size) blocks.push_back({start, size});
  }
  return blocks;
}

}  // namespace dycl::cli
