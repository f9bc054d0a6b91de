// SPDX-License-Identifier: Apache-2.0
#include "emit/flow.h"

#include <map>

namespace dycl::emit {

PlanFlow flow_of(const HostPlan& plan) {
  PlanFlow result;
  result.blocks = blocks_of(plan);
  const auto count = static_cast<BlockIndex>(result.blocks.size());
  std::map<std::uint32_t, BlockIndex> starting;
  for (BlockIndex block = 0; block < count; ++block) starting[result.blocks[block].begin] = block;
  std::vector<std::vector<BlockId>> successors(count);
  result.edges.resize(count);
  for (BlockIndex block = 0; block < count; ++block) {
    const PlanOperation& last = result.last(plan, block).operation;
    for (const LabelledEdge& way : edges_of(last)) {
      result.edges[block].push_back(way.edge);
      successors[block].emplace_back(starting.at(way.edge->target));
    }
    const bool goes_on = std::holds_alternative<PlanCall>(last) || std::holds_alternative<PlanHost>(last);
    if (goes_on && block + 1 < count) successors[block].emplace_back(block + 1);
  }
  result.flow = control_flow(std::move(successors));
  return result;
}

}  // namespace dycl::emit
