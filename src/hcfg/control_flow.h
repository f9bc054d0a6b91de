// SPDX-License-Identifier: Apache-2.0
// Who follows whom: edges, predecessors and an order in which blocks come before what they dominate.
// Nothing here recurses, so a graph of thousands of branches costs no stack.
#pragma once

#include <optional>
#include <vector>

#include "base/overloaded.h"
#include "hcfg/hcfg.h"

namespace dycl {

// Calls visit(Edge&) for each outgoing edge in order: then before else, cases before the fallback.
template <class Visit>
void for_each_edge(const Terminator& terminator, const Visit& visit);
template <class Visit>
void for_each_edge(Terminator& terminator, const Visit& visit);

// Targets in edge order; a block that two edges reach is listed twice.
std::vector<BlockId> successors(const Terminator& terminator);

// One edge of the graph: the `index`-th of the block `from`, as for_each_edge counts.
struct EdgeId {
  BlockId from;
  std::size_t index = 0;
  auto operator<=>(const EdgeId&) const = default;
};

struct ControlFlow {
  std::vector<std::vector<BlockId>> successors;   // per block
  std::vector<std::vector<EdgeId>> predecessors;  // per block: incoming edges in block order
  std::vector<BlockId> order;                     // reverse post-order of the blocks entry reaches
  std::vector<std::size_t> position;              // per block: place in `order`, kUnreachable if none

  static constexpr std::size_t kUnreachable = static_cast<std::size_t>(-1);
  [[nodiscard]] bool reachable(BlockId block) const { return position[block.index()] != kUnreachable; }
};

// Edge targets must be in range.
ControlFlow control_flow(const Hcfg& graph);
// Of any graph whose entry is block 0: the targets of each block, in the order of its edges.
ControlFlow control_flow(std::vector<std::vector<BlockId>> successors);

const Edge& edge_of(const Hcfg& graph, EdgeId edge);

template <class Visit>
void for_each_edge(const Terminator& terminator, const Visit& visit) {
  std::visit(Overloaded{
                 [&](const Jump& jump) { visit(jump.edge); },
                 [&](const Branch& branch) {
                   visit(branch.then_edge);
                   visit(branch.else_edge);
                 },
                 [&](const Switch& choice) {
                   for (const Edge& edge : choice.cases) visit(edge);
                   visit(choice.fallback);
                 },
                 [](const Return&) {},
                 [](const Raise&) {},
             },
             terminator);
}

template <class Visit>
void for_each_edge(Terminator& terminator, const Visit& visit) {
  for_each_edge(std::as_const(terminator), [&](const Edge& edge) { visit(const_cast<Edge&>(edge)); });
}

}  // namespace dycl
