// SPDX-License-Identifier: Apache-2.0
#include "program/weak_topological_order.h"

#include <gmock/gmock.h>

#include <random>

#include "program/functions.h"

namespace dycl::program {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::size_t> numbers(const std::vector<BlockId>& ids) {
  std::vector<std::size_t> found;
  for (const BlockId id : ids) found.push_back(id.index());
  return found;
}

TEST(WeakTopologicalOrder, StraightCodeKeepsItsOrder) {
  const WeakTopologicalOrder order = weak_topological_order(graph({{1}, {2}, {}}));
  EXPECT_THAT(numbers(order.order), ElementsAre(0, 1, 2));
  EXPECT_THAT(order.place(BlockId(2)).path, ElementsAre(2));
  EXPECT_THAT(order.place(BlockId(2)).loops, IsEmpty());
}

TEST(WeakTopologicalOrder, AJoinComesAfterBothBranches) {
  const WeakTopologicalOrder order = weak_topological_order(graph({{3, 1}, {2}, {}, {2}}));
  EXPECT_EQ(order.order.back(), BlockId(2));
}

TEST(WeakTopologicalOrder, ALoopIsContiguousAndItsExitComesAfterIt) {
  // 1 is the header, 2 the body, 3 the exit; the branch names the exit first.
  const WeakTopologicalOrder order = weak_topological_order(graph({{1}, {3, 2}, {1}, {}}));
  EXPECT_THAT(numbers(order.order), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(order.place(BlockId(1)).path, ElementsAre(1, 0));
  EXPECT_THAT(numbers(order.place(BlockId(1)).loops), ElementsAre(1));
  EXPECT_THAT(order.place(BlockId(2)).path, ElementsAre(1, 1));
  EXPECT_THAT(order.place(BlockId(3)).path, ElementsAre(2));
}

TEST(WeakTopologicalOrder, AReturnInsideALoopBelongsOutsideOfIt) {
  // 1: header, 2: body that returns by 4 or goes on.
  const WeakTopologicalOrder order = weak_topological_order(graph({{1}, {2, 3}, {4, 1}, {}, {}}));
  EXPECT_THAT(order.place(BlockId(4)).loops, IsEmpty());
  EXPECT_GT(order.place(BlockId(4)).path[0], order.place(BlockId(1)).path[0]);
}

TEST(WeakTopologicalOrder, LoopsNest) {
  // 1 ( 2 3 ) 4 with 2 the inner header.
  const WeakTopologicalOrder order = weak_topological_order(graph({{1}, {2, 5}, {3, 4}, {2}, {1}, {}}));
  EXPECT_THAT(order.place(BlockId(3)).path, ElementsAre(1, 1, 1));
  EXPECT_THAT(numbers(order.place(BlockId(3)).loops), ElementsAre(1, 2));
  EXPECT_THAT(order.place(BlockId(4)).path, ElementsAre(1, 2));
  EXPECT_THAT(numbers(order.place(BlockId(4)).loops), ElementsAre(1));
}

TEST(WeakTopologicalOrder, AHandlerInsideTheLoopBelongsToIt) {
  Function function = graph({{1}, {2, 4}, {1}, {1}, {}});
  function.blocks[2].handler = Handler{BlockId(3), RegisterId(0)};
  const WeakTopologicalOrder order = weak_topological_order(function);
  EXPECT_THAT(numbers(order.place(BlockId(3)).loops), ElementsAre(1));
}

TEST(WeakTopologicalOrder, ABlockThatNothingReachesHasNoPlace) {
  const WeakTopologicalOrder order = weak_topological_order(graph({{2}, {2}, {}}));
  EXPECT_THAT(order.place(BlockId(1)).path, IsEmpty());
  EXPECT_THAT(numbers(order.order), ElementsAre(0, 2));
}

// What the abstract machine relies on: an edge goes forward, or back to the header of a loop around it.
TEST(WeakTopologicalOrder, EveryEdgeGoesForwardOrBackToAHeaderAroundIt) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    const std::size_t size = 2 + random() % 12;
    std::vector<std::vector<std::size_t>> edges(size);
    for (auto& targets : edges) {
      for (std::size_t i = random() % 3; i > 0; --i) targets.push_back(random() % size);
    }
    const Function function = graph(edges);
    const WeakTopologicalOrder order = weak_topological_order(function);
    for (const BlockId from : order.order) {
      for (const BlockId to : successors(function.block(from))) {
        const BlockPlace& start = order.place(from);
        const BlockPlace& end = order.place(to);
        const bool back = std::ranges::find(start.loops, to) != start.loops.end();
        EXPECT_TRUE(back || start.path < end.path) << round << ": " << from.index() << " to " << to.index();
      }
    }
  }
}

}  // namespace
}  // namespace dycl::program
