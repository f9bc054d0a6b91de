// SPDX-License-Identifier: Apache-2.0
#include "program/liveness.h"

namespace dycl::program {
namespace {

using Set = std::vector<bool>;  // by register

class Solver {
 public:
  explicit Solver(const Function& function)
      : function_(function), entry_(function.blocks.size(), Set(function.registers.size(), false)) {}

  void solve() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = function_.blocks.size(); i-- > 0;) {
        Set live = walk(i, [](std::size_t, const Set&) {});
        if (live == entry_[i]) continue;
        entry_[i] = std::move(live);
        changed = true;
      }
    }
  }

  // Goes backwards through a block and calls visit(index, live before it), terminator first.
  template <class Visit>
  Set walk(std::size_t index, const Visit& visit) const {
    const Block& block = function_.blocks[index];
    Set live(function_.registers.size(), false);
    before_terminator(block, live);
    visit(block.instructions.size(), live);
    for (std::size_t i = block.instructions.size(); i-- > 0;) {
      const Instruction& instruction = block.instructions[i];
      kill(live, instruction.result);
      for (const RegisterId result : instruction.results) kill(live, result);
      use(live, instruction.operands);
      if (!never_raises(instruction.op)) add_handler(block, live);
      visit(i, live);
    }
    return live;
  }

 private:
  void before_terminator(const Block& block, Set& live) const {
    if (const auto* next = std::get_if<ForNext>(&block.terminator)) {
      add_entry(next->body, live);
      kill(live, next->result);
      Set at_exit(live.size(), false);
      add_entry(next->exit, at_exit);
      kill(at_exit, next->returned);
      add(at_exit, live);
    } else {
      for (const BlockId target : successors(block.terminator)) add_entry(target, live);
    }
    use(live, operands_of(block.terminator));
    add_handler(block, live);
  }

  void add_handler(const Block& block, Set& live) const {
    if (!block.handler) return;
    Set at_handler = entry_[block.handler->target.index()];
    kill(at_handler, block.handler->exception);
    add(at_handler, live);
  }

  void add_entry(BlockId target, Set& live) const { add(entry_[target.index()], live); }

  static void add(const Set& more, Set& live) {
    for (std::size_t i = 0; i < live.size(); ++i) {
      if (more[i]) live[i] = true;
    }
  }

  static void kill(Set& live, RegisterId id) {
    if (id.valid()) live[id.index()] = false;
  }

  static void use(Set& live, const std::vector<RegisterId>& operands) {
    for (const RegisterId id : operands) live[id.index()] = true;
  }

  const Function& function_;
  std::vector<Set> entry_;
};

std::vector<RegisterId> members(const Set& set) {
  std::vector<RegisterId> ids;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set[i]) ids.emplace_back(i);
  }
  return ids;
}

}  // namespace

Liveness::Liveness(const Function& function) : live_(function.blocks.size()) {
  Solver solver(function);
  solver.solve();
  for (std::size_t i = 0; i < live_.size(); ++i) {
    live_[i].resize(function.blocks[i].instructions.size() + 1);
    solver.walk(i, [&](std::size_t index, const Set& live) { live_[i][index] = members(live); });
  }
}

}  // namespace dycl::program
