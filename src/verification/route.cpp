// SPDX-License-Identifier: Apache-2.0
#include "verification/route.h"

#include <deque>
#include <limits>

namespace dycl {
namespace {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

std::vector<std::size_t> distances_to(const Hcfg& graph, BlockId goal) {
  const ControlFlow flow = control_flow(graph);
  std::vector<std::size_t> distances(graph.blocks.size(), kNever);
  distances[goal.index()] = 0;
  for (std::deque<BlockId> waiting{goal}; !waiting.empty(); waiting.pop_front())
    for (const EdgeId& edge : flow.predecessors[waiting.front().index()]) {
      if (distances[edge.from.index()] != kNever) continue;
      distances[edge.from.index()] = distances[waiting.front().index()] + 1;
      waiting.push_back(edge.from);
    }
  return distances;
}

}  // namespace

Route::Route(const Hcfg& graph, BlockPair goal)
    : graph_(graph), goal_(goal), distances_(distances_to(graph, BlockId(goal.first))) {}

std::size_t Route::distance_behind(EdgeId edge) const {
  return distances_[edge_of(graph_, edge).target.index()];
}

EdgeId Route::take(EdgeId decided) {
  if (arrived_) return decided;
  const std::size_t count = successors(graph_.blocks[decided.from.index()].terminator).size();
  const bool is_here = decided.from.value == goal_.first;
  if (!is_here && !forced_ && distance_behind(decided) != kNever) return decided;
  EdgeId chosen = decided;
  for (std::size_t index = 0; index < count; ++index) {
    const EdgeId edge{decided.from, index};
    const bool leads_there = edge_of(graph_, edge).target.value == goal_.second;
    if (is_here && leads_there && edge_of(graph_, chosen).target.value != goal_.second) chosen = edge;
    if (!is_here && distance_behind(edge) < distance_behind(chosen)) chosen = edge;
  }
  arrived_ = is_here && edge_of(graph_, chosen).target.value == goal_.second;
  forced_ = forced_ || chosen != decided;
  return chosen;
}

}  // namespace dycl
