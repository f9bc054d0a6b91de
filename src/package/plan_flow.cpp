// SPDX-License-Identifier: Apache-2.0
#include "package/plan_flow.h"

#include <set>

#include "base/overloaded.h"

namespace dycl {

std::vector<LabelledEdge> edges_of(const PlanOperation& operation) {
  using Edges = std::vector<LabelledEdge>;
  return std::visit(
      Overloaded{[](const PlanCall&) { return Edges{}; }, [](const PlanHost&) { return Edges{}; },
                 [](const PlanJump& jump) { return Edges{{&jump.edge, ""}}; },
                 [](const PlanBranch& branch) {
                   return Edges{{&branch.then_edge, "then"}, {&branch.else_edge, "else"}};
                 },
                 [](const PlanSwitch& choice) {
                   Edges edges;
                   for (const PlanEdge& edge : choice.cases)
                     edges.push_back({&edge, "case " + std::to_string(edges.size())});
                   edges.push_back({&choice.fallback, "fallback"});
                   return edges;
                 },
                 [](const PlanReturn&) { return Edges{}; }, [](const PlanRaise&) { return Edges{}; }},
      operation);
}

std::vector<PlanRange> blocks_of(const HostPlan& plan) {
  const auto size = static_cast<std::uint32_t>(plan.code.size());
  std::set<std::uint32_t> starts{0};
  for (std::uint32_t index = 0; index < size; ++index) {
    const PlanOperation& operation = plan.code[index].operation;
    for (const LabelledEdge& way : edges_of(operation)) starts.insert(way.edge->target);
    const bool stays =
        std::holds_alternative<PlanCall>(operation) || std::holds_alternative<PlanHost>(operation);
    if (!stays) starts.insert(index + 1);
  }
  std::vector<PlanRange> blocks;
  for (const std::uint32_t start : starts) {
    if (!blocks.empty()) blocks.back().end = start;
    if (start < size) blocks.push_back({start, size});
  }
  return blocks;
}

}  // namespace dycl
