// SPDX-License-Identifier: Apache-2.0
#include "hcfg/dominance.h"

#include <algorithm>

namespace dycl {
namespace {

constexpr std::size_t kUnset = static_cast<std::size_t>(-1);

// Cooper, Harvey and Kennedy's iteration over reverse post-order places (0 is the entry). One sweep
// settles a reducible graph.
class ImmediateDominators {
 public:
  explicit ImmediateDominators(const ControlFlow& flow) : parent_(flow.order.size(), kUnset) {
    if (parent_.empty()) return;
    parent_[0] = 0;
    collect_predecessors(flow);
    while (sweep()) {
    }
  }

  [[nodiscard]] const std::vector<std::size_t>& parents() const { return parent_; }

 private:
  // Latest first: neighbouring predecessors then meet after few steps, however many there are.
  void collect_predecessors(const ControlFlow& flow) {
    predecessors_.resize(flow.order.size());
    for (std::size_t place = 0; place < flow.order.size(); ++place) {
      for (const EdgeId edge : flow.predecessors[flow.order[place].index()])
        if (flow.reachable(edge.from)) predecessors_[place].push_back(flow.position[edge.from.index()]);
      std::ranges::sort(predecessors_[place], std::greater());
    }
  }

  bool sweep() {
    bool changed = false;
    for (std::size_t place = 1; place < parent_.size(); ++place) {
      std::size_t common = kUnset;
      for (const std::size_t predecessor : predecessors_[place])
        if (parent_[predecessor] != kUnset) common = meet(common, predecessor);
      if (parent_[place] == common) continue;
      parent_[place] = common;
      changed = true;
    }
    return changed;
  }

  [[nodiscard]] std::size_t meet(std::size_t left, std::size_t right) const {
    if (left == kUnset) return right;
    while (left != right) {
      if (left > right)
        left = parent_[left];
      else
        right = parent_[right];
    }
    return left;
  }

  std::vector<std::vector<std::size_t>> predecessors_;
  std::vector<std::size_t> parent_;
};

// The blocks from which a back edge's source is reached without passing the header.
void add_body(const ControlFlow& flow, BlockId source, std::vector<bool>& inside) {
  std::vector<BlockId> stack{source};
  while (!stack.empty()) {
    const BlockId block = stack.back();
    stack.pop_back();
    if (inside[block.index()]) continue;
    inside[block.index()] = true;
    for (const EdgeId edge : flow.predecessors[block.index()])
      if (flow.reachable(edge.from)) stack.push_back(edge.from);
  }
}

}  // namespace

DominatorTree::DominatorTree(const ControlFlow& flow)
    : parent_(flow.successors.size()), children_(flow.successors.size()) {
  const ImmediateDominators dominators(flow);
  for (std::size_t place = 1; place < flow.order.size(); ++place) {
    const BlockId block = flow.order[place];
    const BlockId parent = flow.order[dominators.parents()[place]];
    parent_[block.index()] = parent;
    children_[parent.index()].push_back(block);
  }
  number();
}

void DominatorTree::number() {
  enter_.assign(parent_.size(), kUnset);
  leave_.assign(parent_.size(), 0);
  std::size_t clock = 0;
  std::vector<std::pair<BlockId, std::size_t>> stack;
  const auto enter = [&](BlockId block) {
    enter_[block.index()] = clock++;
    stack.emplace_back(block, 0);
  };
  if (!parent_.empty()) enter(BlockId(0));
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    const auto& below = children_[block.index()];
    if (next < below.size()) {
      enter(below[next++]);
      continue;
    }
    leave_[block.index()] = clock;
    stack.pop_back();
  }
}

bool DominatorTree::dominates(BlockId outer, BlockId inner) const {
  const std::size_t outer_enter = enter_[outer.index()];
  const std::size_t inner_enter = enter_[inner.index()];
  if (outer_enter == kUnset || inner_enter == kUnset) return false;
  return outer_enter <= inner_enter && inner_enter < leave_[outer.index()];
}

BlockId DominatorTree::immediate_dominator(BlockId block) const { return parent_[block.index()]; }

std::vector<EdgeId> irreducible_edges(const ControlFlow& flow, const DominatorTree& dominators) {
  std::vector<EdgeId> found;
  for (const BlockId block : flow.order) {
    const auto& targets = flow.successors[block.index()];
    for (std::size_t index = 0; index < targets.size(); ++index) {
      const bool goes_back = flow.position[targets[index].index()] <= flow.position[block.index()];
      if (goes_back && !dominators.dominates(targets[index], block)) found.push_back({block, index});
    }
  }
  return found;
}

std::vector<Loop> find_loops(const ControlFlow& flow, const DominatorTree& dominators) {
  std::vector<Loop> loops;
  for (const BlockId header : flow.order) {
    Loop loop{header, {}, {}};
    for (const EdgeId edge : flow.predecessors[header.index()])
      if (dominators.dominates(header, edge.from)) loop.back_edges.push_back(edge);
    if (loop.back_edges.empty()) continue;
    std::vector<bool> inside(flow.successors.size(), false);
    inside[header.index()] = true;
    for (const EdgeId edge : loop.back_edges) add_body(flow, edge.from, inside);
    for (std::size_t block = 0; block < inside.size(); ++block)
      if (inside[block]) loop.blocks.emplace_back(block);
    loops.push_back(std::move(loop));
  }
  return loops;
}

}  // namespace dycl
