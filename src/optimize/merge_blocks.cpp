// SPDX-License-Identifier: Apache-2.0
#include "optimize/merge_blocks.h"

#include <algorithm>
#include <iterator>

#include "optimize/edit.h"
#include "optimize/replacements.h"

namespace dycl::optimize {
namespace {

// The block that `block` may swallow, or an invalid id.
BlockId only_follower(const Hcfg& graph, const ControlFlow& flow, const Replacements& values, BlockId block) {
  const auto* jump = std::get_if<Jump>(&graph.blocks[block.index()].terminator);
  if (jump == nullptr) return {};
  const BlockId next = jump->edge.target;
  if (next == block || next.index() == 0 || flow.predecessors[next.index()].size() != 1) return {};
  const bool possible = values.possible(graph.blocks[next.index()].parameters, jump->edge.arguments);
  return possible ? next : BlockId{};
}

void swallow(Hcfg& graph, Replacements& values, BlockId block, BlockId next) {
  Block& first = graph.blocks[block.index()];
  Block& second = graph.blocks[next.index()];
  values.replace(second.parameters, std::get<Jump>(first.terminator).edge.arguments);
  std::ranges::move(second.steps, std::back_inserter(first.steps));
  first.terminator = std::move(second.terminator);
}

}  // namespace

Result<Hcfg> merge_blocks(Hcfg graph, const PassContext&) {
  const ControlFlow flow = control_flow(graph);
  Replacements values(graph, flow);
  std::vector<bool> kept(graph.blocks.size(), true);
  for (const BlockId block : flow.order) {
    if (!kept[block.index()]) continue;
    for (BlockId next = only_follower(graph, flow, values, block); next.valid();
         next = only_follower(graph, flow, values, block)) {
      swallow(graph, values, block, next);
      kept[next.index()] = false;
    }
  }
  keep_blocks(graph, kept);
  values.apply(graph);
  return graph;
}

}  // namespace dycl::optimize
