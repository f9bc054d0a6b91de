// SPDX-License-Identifier: Apache-2.0
#include "program/weak_topological_order.h"

#include <algorithm>
#include <limits>

namespace dycl::program {
namespace {

// A block, or a loop: a header and what is inside it. Built back to front.
struct Element {
  BlockId block;
  bool is_loop = false;
  std::vector<Element> body;  // without the header
};

// Bourdoncle's algorithm, the recursive one: depth-first numbers find strongly connected components; the
// inside of a component is ordered again with its header taken away. Its depth is that of the deepest path
// of one function's blocks.
class Partition {
 public:
  explicit Partition(const Function& function) : function_(function), number_(function.blocks.size(), 0) {}

  std::vector<Element> run() {
    std::vector<Element> partition;
    visit(BlockId(0), partition);
    std::ranges::reverse(partition);
    return partition;
  }

 private:
  static constexpr std::uint32_t kDone = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t visit(BlockId block, std::vector<Element>& partition) {
    stack_.push_back(block);
    number_[block.index()] = ++last_number_;
    std::uint32_t head = last_number_;
    bool loop = false;
    for (const BlockId next : successors(function_.block(block))) {
      const std::uint32_t low = number_[next.index()] == 0 ? visit(next, partition) : number_[next.index()];
      if (low <= head) {
        head = low;
        loop = true;
      }
    }
    if (head == number_[block.index()]) finish(block, loop, partition);
    return head;
  }

  void finish(BlockId block, bool loop, std::vector<Element>& partition) {
    number_[block.index()] = kDone;
    BlockId popped = take();
    if (!loop) {
      partition.push_back({block, false, {}});
      return;
    }
    while (popped != block) {
      number_[popped.index()] = 0;
      popped = take();
    }
    partition.push_back(component(block));
  }

  Element component(BlockId header) {
    Element element{header, true, {}};
    for (const BlockId next : successors(function_.block(header))) {
      if (number_[next.index()] == 0) visit(next, element.body);
    }
    std::ranges::reverse(element.body);
    return element;
  }

  BlockId take() {
    const BlockId block = stack_.back();
    stack_.pop_back();
    return block;
  }

  const Function& function_;
  std::vector<std::uint32_t> number_;  // depth-first; 0: not seen yet
  std::vector<BlockId> stack_;
  std::uint32_t last_number_ = 0;
};

void place(const std::vector<Element>& elements, BlockPlace outer, std::uint32_t first,
           WeakTopologicalOrder& order) {
  std::uint32_t position = first;
  for (const Element& element : elements) {
    BlockPlace mine = outer;
    mine.path.push_back(position++);
    if (element.is_loop) {
      mine.loops.push_back(element.block);
      BlockPlace header = mine;
      header.path.push_back(0);
      order.order.push_back(element.block);
      order.places[element.block.index()] = std::move(header);
      place(element.body, std::move(mine), 1, order);
    } else {
      order.order.push_back(element.block);
      order.places[element.block.index()] = std::move(mine);
    }
  }
}

}  // namespace

WeakTopologicalOrder weak_topological_order(const Function& function) {
  WeakTopologicalOrder order;
  order.places.resize(function.blocks.size());
  place(Partition(function).run(), {}, 0, order);
  return order;
}

}  // namespace dycl::program
