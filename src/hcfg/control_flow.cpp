// SPDX-License-Identifier: Apache-2.0
#include "hcfg/control_flow.h"

#include <algorithm>

#include "base/result.h"

namespace dycl {
namespace {

std::vector<BlockId> reverse_post_order(const std::vector<std::vector<BlockId>>& successors) {
  struct Frame {
    BlockId block;
    std::size_t next = 0;
  };
  std::vector<BlockId> order;
  std::vector<bool> seen(successors.size(), false);
  std::vector<Frame> stack;
  if (!successors.empty()) {
    stack.push_back({BlockId(0)});
    seen[0] = true;
  }
  while (!stack.empty()) {
    Frame& frame = stack.back();
    const auto& targets = successors[frame.block.index()];
    if (frame.next == targets.size()) {
      order.push_back(frame.block);
      stack.pop_back();
      continue;
    }
    // Last successor first: the reversed order then lists "then" before "else".
    const BlockId target = targets[targets.size() - 1 - frame.next++];
    if (seen[target.index()]) continue;
    seen[target.index()] = true;
    stack.push_back({target});
  }
  std::ranges::reverse(order);
  return order;
}

}  // namespace

std::vector<BlockId> successors(const Terminator& terminator) {
  std::vector<BlockId> targets;
  for_each_edge(terminator, [&](const Edge& edge) { targets.push_back(edge.target); });
  return targets;
}

ControlFlow control_flow(const Hcfg& graph) {
  std::vector<std::vector<BlockId>> targets;
  targets.reserve(graph.blocks.size());
  for (const Block& block : graph.blocks) targets.push_back(successors(block.terminator));
  return control_flow(std::move(targets));
}

ControlFlow control_flow(std::vector<std::vector<BlockId>> successors) {
  const std::size_t count = successors.size();
  ControlFlow flow;
  flow.successors = std::move(successors);
  flow.predecessors.resize(count);
  flow.position.assign(count, ControlFlow::kUnreachable);
  for (std::size_t block = 0; block < count; ++block)
    for (std::size_t index = 0; index < flow.successors[block].size(); ++index)
      flow.predecessors[flow.successors[block][index].index()].push_back({BlockId(block), index});
  flow.order = reverse_post_order(flow.successors);
  for (std::size_t place = 0; place < flow.order.size(); ++place)
    flow.position[flow.order[place].index()] = place;
  return flow;
}

const Edge& edge_of(const Hcfg& graph, EdgeId edge) {
  const Edge* found = nullptr;
  std::size_t index = 0;
  for_each_edge(graph.blocks[edge.from.index()].terminator, [&](const Edge& candidate) {
    if (index++ == edge.index) found = &candidate;
  });
  if (found == nullptr) internal_error("an edge id names no edge");
  return *found;
}

}  // namespace dycl
