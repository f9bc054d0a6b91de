// SPDX-License-Identifier: Apache-2.0
#include "verification/route.h"

#include <deque>
#include <limits>

namespace dycl::verification {
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

Route::Route(const Hcfg& graph, EdgeId goal)
    : graph_(graph), goal_(goal), distances_(distances_to(graph, goal.from)) {}

std::size_t Route::distance_behind(EdgeId edge) const {
  return distances_[edge_of(graph_, edge).target.index()];
}

EdgeId Route::take(EdgeId decided) {
  if (arrived_) return decided;
  arrived_ = decided.from == goal_.from;
  if (!arrived_ && !forced_ && distance_behind(decided) != kNever) return decided;
  EdgeId chosen = arrived_ ? goal_ : decided;
  const std::size_t count = successors(graph_.blocks[decided.from.index()].terminator).size();
  for (std::size_t index = 0; !arrived_ && index < count; ++index)
    if (const EdgeId edge{decided.from, index}; distance_behind(edge) < distance_behind(chosen))
      chosen = edge;
  forced_ = forced_ || chosen != decided;
  return chosen;
}

}  // namespace dycl::verification
