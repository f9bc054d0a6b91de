// SPDX-License-Identifier: Apache-2.0
#include "program/liveness.h"

#include "program/register_set.h"

namespace dycl::program {
namespace {

class Solver {
 public:
  explicit Solver(const Function& function)
      : function_(function), entry_(function.blocks.size(), RegisterSet(function.registers.size())) {}

  void solve() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = function_.blocks.size(); i-- > 0;) {
        RegisterSet live = walk(i, [](std::size_t, const RegisterSet&) {});
        if (live == entry_[i]) continue;
        entry_[i] = std::move(live);
        changed = true;
      }
    }
  }

  // Goes backwards through a block and calls visit(index, live before it), terminator first.
  template <class Visit>
  RegisterSet walk(std::size_t index, const Visit& visit) const {
    const Block& block = function_.blocks[index];
    RegisterSet live(function_.registers.size());
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
  void before_terminator(const Block& block, RegisterSet& live) const {
    if (const auto* next = std::get_if<ForNext>(&block.terminator)) {
      add_entry(next->body, live);
      kill(live, next->result);
      RegisterSet at_exit(function_.registers.size());
      add_entry(next->exit, at_exit);
      kill(at_exit, next->returned);
      live.add_all(at_exit);
    } else {
      for (const BlockId target : successors(block.terminator)) add_entry(target, live);
    }
    use(live, operands_of(block.terminator));
    add_handler(block, live);
  }

  void add_handler(const Block& block, RegisterSet& live) const {
    if (!block.handler) return;
    RegisterSet at_handler = entry_[block.handler->target.index()];
    kill(at_handler, block.handler->exception);
    live.add_all(at_handler);
  }

  void add_entry(BlockId target, RegisterSet& live) const { live.add_all(entry_[target.index()]); }

  static void kill(RegisterSet& live, RegisterId id) {
    if (id.valid()) live.erase(id);
  }

  static void use(RegisterSet& live, const std::vector<RegisterId>& operands) {
    for (const RegisterId id : operands) live.insert(id);
  }

  const Function& function_;
  std::vector<RegisterSet> entry_;
};

}  // namespace

Liveness::Liveness(const Function& function) : live_(function.blocks.size()) {
  Solver solver(function);
  solver.solve();
  for (std::size_t i = 0; i < live_.size(); ++i) {
    live_[i].resize(function.blocks[i].instructions.size() + 1);
    solver.walk(i, [&](std::size_t index, const RegisterSet& live) { live_[i][index] = live.members(); });
  }
}

}  // namespace dycl::program
