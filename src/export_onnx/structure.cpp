// SPDX-License-Identifier: Apache-2.0
#include "export_onnx/structure.h"

#include <algorithm>
#include <set>

namespace dycl::export_onnx {
namespace {

// Header steps are written again before, in and behind the loop: only a few, and no tensor work.
constexpr std::size_t kMostTestSteps = 12;

bool tests_first(const Hcfg& graph, const LoopRegion& loop) {
  const Block& header = graph.blocks[loop.header.index()];
  const auto* branch = std::get_if<Branch>(&header.terminator);
  if (branch == nullptr || loop.contains(branch->then_edge.target) == loop.contains(branch->else_edge.target))
    return false;
  std::size_t ways_out = 0;
  for (std::size_t block = 0; block < graph.blocks.size(); ++block)
    if (loop.members[block])
      for (const BlockId target : successors(graph.blocks[block].terminator))
        ways_out += loop.contains(target) ? 0 : 1;
  return ways_out == 1 && header.steps.size() <= kMostTestSteps &&
         std::ranges::all_of(header.steps,
                             [](const Step& step) { return std::holds_alternative<HostStep>(step); });
}

}  // namespace

Structure::Structure(const Hcfg& graph)
    : flow(control_flow(graph)),
      dominators(flow),
      uses(use_table(graph)),
      live(liveness(graph, flow, uses)),
      merges(graph.blocks.size()) {
  for (const BlockId block : flow.order) {
    const auto forward = std::ranges::count_if(flow.predecessors[block.index()], [&](const EdgeId& edge) {
      return flow.reachable(edge.from) && !dominators.dominates(block, edge.from);
    });
    if (const BlockId parent = dominators.immediate_dominator(block); parent.valid() && forward > 1)
      merges[parent.index()].push_back(block);
  }
  for (const Loop& loop : find_loops(flow, dominators)) add_loop(graph, loop);
}

void Structure::sort_by_flow(std::vector<BlockId>& blocks) const {
  std::ranges::sort(blocks, {}, [&](BlockId block) { return flow.position[block.index()]; });
}

void Structure::add_loop(const Hcfg& graph, const Loop& loop) {
  LoopRegion region;
  region.header = loop.header;
  region.members.resize(graph.blocks.size());
  for (const BlockId block : loop.blocks) region.members[block.index()] = true;
  std::set<BlockId> exits;
  std::set<ValueId> escaping;
  for (const BlockId block : loop.blocks) {
    for (const BlockId target : successors(graph.blocks[block.index()].terminator))
      if (!region.contains(target)) exits.insert(target);
    for (const BlockId child : dominators.children(block))
      if (!region.contains(child)) region.after.push_back(child);
  }
  for (const BlockId exit : exits)
    for (const ValueId value : live.live_in[exit.index()]) {
      const Definition& definition = uses.definition(value);
      const bool made_here =
          definition.kind == DefinitionKind::Parameter || definition.kind == DefinitionKind::Step;
      if (made_here && region.contains(definition.place.block)) escaping.insert(value);
    }
  region.exits.assign(exits.begin(), exits.end());
  region.escaping.assign(escaping.begin(), escaping.end());
  sort_by_flow(region.exits);
  sort_by_flow(region.after);
  region.tests_first = tests_first(graph, region);
  loops.emplace(region.header, std::move(region));
}

bool Structure::is_live_at(ValueId value, BlockId block) const {
  return std::ranges::binary_search(live.live_in[block.index()], value);
}

}  // namespace dycl::export_onnx
