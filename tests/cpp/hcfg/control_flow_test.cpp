// SPDX-License-Identifier: Apache-2.0
#include "hcfg/control_flow.h"

#include <gtest/gtest.h>

#include "hcfg/dominance.h"
#include "hcfg/uses.h"
#include "hcfg/verify.h"

namespace dycl {
namespace {

// Blocks whose terminators lead to the listed blocks, in order.
Hcfg graph_of(const std::vector<std::vector<std::size_t>>& targets) {
  Hcfg graph;
  for (const auto& list : targets) {
    Block block;
    const auto edge = [](std::size_t target) { return Edge{BlockId(target), {}}; };
    if (list.size() == 1) block.terminator = Jump{edge(list[0])};
    if (list.size() == 2) block.terminator = Branch{ValueId(), edge(list[0]), edge(list[1])};
    graph.blocks.push_back(std::move(block));
  }
  return graph;
}

// Every path from the entry to `inner` passes `outer`, by definition: without it, inner is not reached.
bool dominates_by_definition(const Hcfg& graph, std::size_t outer, std::size_t inner) {
  std::vector<bool> seen(graph.blocks.size(), false);
  std::vector<std::size_t> stack;
  if (outer != 0) stack.push_back(0);
  while (!stack.empty()) {
    const std::size_t block = stack.back();
    stack.pop_back();
    if (block == outer || seen[block]) continue;
    seen[block] = true;
    for (const BlockId next : successors(graph.blocks[block].terminator)) stack.push_back(next.index());
  }
  return !seen[inner];
}

TEST(ControlFlowTest, OrderPutsBlocksBeforeWhatTheyDominateAndLeavesOutTheUnreachable) {
  const Hcfg graph = graph_of({{2, 1}, {3}, {3}, {}, {3}});
  const ControlFlow flow = control_flow(graph);
  EXPECT_EQ(flow.order, (std::vector{BlockId(0), BlockId(2), BlockId(1), BlockId(3)}));
  EXPECT_FALSE(flow.reachable(BlockId(4)));
  EXPECT_EQ(flow.predecessors[3],
            (std::vector{EdgeId{BlockId(1), 0}, EdgeId{BlockId(2), 0}, EdgeId{BlockId(4), 0}}));
}

TEST(DominanceTest, AgreesWithTheDefinitionOnManyGraphs) {
  std::uint32_t state = 1;
  const auto next = [&](std::size_t limit) {
    state = state * 1664525U + 1013904223U;
    return (state >> 8U) % limit;
  };
  for (int round = 0; round < 400; ++round) {
    std::vector<std::vector<std::size_t>> targets(2 + next(8));
    for (auto& list : targets)
      for (std::size_t count = next(3); count > 0; --count) list.push_back(next(targets.size()));
    const Hcfg graph = graph_of(targets);
    const ControlFlow flow = control_flow(graph);
    const DominatorTree tree(flow);
    for (std::size_t outer = 0; outer < targets.size(); ++outer)
      for (std::size_t inner = 0; inner < targets.size(); ++inner) {
        const bool expected = flow.reachable(BlockId(outer)) && flow.reachable(BlockId(inner)) &&
                              dominates_by_definition(graph, outer, inner);
        ASSERT_EQ(tree.dominates(BlockId(outer), BlockId(inner)), expected)
            << round << ": " << outer << ", " << inner;
      }
  }
}

TEST(DominanceTest, FindsNestedLoopsOuterFirst) {
  const Hcfg graph = graph_of({{1}, {2, 5}, {3, 4}, {2}, {1}, {}});
  const ControlFlow flow = control_flow(graph);
  const DominatorTree tree(flow);
  const auto loops = find_loops(flow, tree);
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(loops[0].header, BlockId(1));
  EXPECT_EQ(loops[0].blocks.size(), 4U);
  EXPECT_EQ(loops[1].header, BlockId(2));
  EXPECT_EQ(loops[1].blocks, (std::vector{BlockId(2), BlockId(3)}));
  EXPECT_TRUE(irreducible_edges(flow, tree).empty());
}

TEST(DominanceTest, ALoopWithTwoEntriesIsIrreducible) {
  const Hcfg graph = graph_of({{1, 2}, {2}, {1}});
  const ControlFlow flow = control_flow(graph);
  EXPECT_EQ(irreducible_edges(flow, DominatorTree(flow)).size(), 1U);
}

TEST(DominanceTest, LongChainsOfBranchesAndEarlyExitsCostNoStack) {
  constexpr std::size_t kLength = 100000;
  std::vector<std::vector<std::size_t>> targets;
  for (std::size_t block = 0; block < kLength; ++block) targets.push_back({block + 1, kLength});
  targets.emplace_back();
  Hcfg graph = graph_of(targets);
  const ControlFlow flow = control_flow(graph);
  const DominatorTree tree(flow);
  EXPECT_TRUE(tree.dominates(BlockId(0), BlockId(kLength)));
  EXPECT_FALSE(tree.dominates(BlockId(kLength - 1), BlockId(kLength)));
}

}  // namespace
}  // namespace dycl
