// SPDX-License-Identifier: Apache-2.0
// Which blocks every path passes: a value may be used directly wherever its definition dominates.
#pragma once

#include <vector>

#include "hcfg/control_flow.h"

namespace dycl {

class DominatorTree {
 public:
  explicit DominatorTree(const ControlFlow& flow);

  // Every path from the entry to `inner` passes `outer`; a block dominates itself. Blocks that the
  // entry does not reach dominate nothing and are dominated by nothing.
  [[nodiscard]] bool dominates(BlockId outer, BlockId inner) const;
  [[nodiscard]] BlockId immediate_dominator(BlockId block) const;  // invalid for entry and unreachable
  // Counts the blocks that the block dominates, itself included.
  [[nodiscard]] std::size_t size_of(BlockId block) const {
    return leave_[block.index()] - enter_[block.index()];
  }
  [[nodiscard]] const std::vector<BlockId>& children(BlockId block) const { return children_[block.index()]; }

 private:
  void number();

  std::vector<BlockId> parent_;
  std::vector<std::vector<BlockId>> children_;
  // Visit times of a walk over the tree: dominance is nesting of intervals.
  std::vector<std::size_t> enter_;
  std::vector<std::size_t> leave_;
};

// A natural loop: `header` dominates every block of it and is the only way in.
struct Loop {
  BlockId header;
  std::vector<BlockId> blocks;  // ascending, header included, nested loops included
  std::vector<EdgeId> back_edges;
};

// Outer before inner.
std::vector<Loop> find_loops(const ControlFlow& flow, const DominatorTree& dominators);

// Edges that go back in reverse post-order to a block that does not dominate them: a loop has a second
// way in there. A verified graph has none.
std::vector<EdgeId> irreducible_edges(const ControlFlow& flow, const DominatorTree& dominators);

}  // namespace dycl
