// SPDX-License-Identifier: Apache-2.0
// How a reducible graph nests: which blocks continue behind a branch or a loop, and what leaves a loop.
#pragma once

#include <map>
#include <vector>

#include "hcfg/dominance.h"
#include "hcfg/uses.h"

namespace dycl::export_onnx {

// A loop as its surroundings see it.
struct LoopRegion {
  BlockId header;
  std::vector<bool> members;      // by block
  std::vector<BlockId> exits;     // blocks outside that its edges reach, in flow order
  std::vector<BlockId> after;     // blocks outside that a block of it dominates directly, in flow order
  std::vector<ValueId> escaping;  // defined inside and live at an exit
  // The header decides and nothing else does: its last edge is the only way out.
  bool tests_first = false;

  [[nodiscard]] bool contains(BlockId block) const { return members[block.index()]; }
};

struct Structure {
  explicit Structure(const Hcfg& graph);

  ControlFlow flow;
  DominatorTree dominators;
  UseTable uses;
  Liveness live;
  std::map<BlockId, LoopRegion> loops;       // by header
  std::vector<std::vector<BlockId>> merges;  // by block: those it dominates directly and several edges reach

  [[nodiscard]] bool is_live_at(ValueId value, BlockId block) const;

 private:
  void add_loop(const Hcfg& graph, const Loop& loop);
  void sort_by_flow(std::vector<BlockId>& blocks) const;
};

}  // namespace dycl::export_onnx
