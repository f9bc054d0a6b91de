// SPDX-License-Identifier: Apache-2.0
// The blocks of a host plan and who follows whom.
#pragma once

#include <cstdint>
#include <vector>

#include "hcfg/control_flow.h"
#include "package/plan_flow.h"

namespace dycl::emit {

using BlockIndex = std::uint32_t;

struct PlanFlow {
  std::vector<PlanRange> blocks;
  // Per block. A block that just ends where another one begins has a successor and no edge.
  std::vector<std::vector<const PlanEdge*>> edges;
  ControlFlow flow;

  // Says whether the block ends only because another one begins behind it.
  [[nodiscard]] bool goes_on(BlockIndex block) const {
    return edges[block].empty() && !flow.successors[block].empty();
  }
  [[nodiscard]] const PlanInstruction& last(const HostPlan& plan, BlockIndex block) const {
    return plan.code[blocks[block].end - 1];
  }
};

PlanFlow flow_of(const HostPlan& plan);

}  // namespace dycl::emit
