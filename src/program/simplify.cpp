// SPDX-License-Identifier: Apache-2.0
#include "program/simplify.h"

#include <algorithm>

#include "base/overloaded.h"
#include "program/register_set.h"
#include "program/weak_topological_order.h"

namespace dycl::program {
namespace {

void bind(RegisterSet& bound, RegisterId id) {
  if (id.valid()) bound.insert(id);
}

// After a check has passed, its local is known to be bound.
void step(const Instruction& instruction, RegisterSet& bound) {
  if (instruction.op == Op::Delete) {
    bound.erase(instruction.result);
  } else if (instruction.op == Op::CheckBound) {
    bind(bound, instruction.operands.front());
  } else {
    bind(bound, instruction.result);
    for (const RegisterId result : instruction.results) bind(bound, result);
  }
}

// Forward, by registers that are bound on every way: what is bound at a block's entry is bound at the end of
// all its predecessors.
class BoundLocals {
 public:
  explicit BoundLocals(const Function& function)
      : function_(function), entry_(function.blocks.size(), RegisterSet(function.registers.size(), true)) {
    RegisterSet start(function.registers.size());
    for (std::size_t i = 0; i < function.registers.size(); ++i) {
      if (function.registers[i].kind != RegisterKind::Local) start.insert(RegisterId(i));
    }
    for (const Parameter& parameter : function.parameters) bind(start, parameter.register_id);
    entry_[0] = start;
    for (changed_ = true; changed_;) {
      changed_ = false;
      for (std::size_t i = 0; i < function_.blocks.size(); ++i) flow_through(function_.blocks[i], entry_[i]);
    }
  }

  [[nodiscard]] const RegisterSet& at_entry(std::size_t block) const { return entry_[block]; }

 private:
  void flow_through(const Block& block, RegisterSet bound) {
    for (const Instruction& instruction : block.instructions) {
      flow_to_handler(block, bound);
      step(instruction, bound);
    }
    flow_to_handler(block, bound);
    if (const auto* next = std::get_if<ForNext>(&block.terminator)) {
      flow(next->exit, bound);
      bind(bound, next->result);
      flow(next->body, bound);
      return;
    }
    for (const BlockId target : successors(block.terminator)) flow(target, bound);
  }

  void flow_to_handler(const Block& block, RegisterSet bound) {
    if (!block.handler) return;
    bind(bound, block.handler->exception);
    flow(block.handler->target, bound);
  }

  void flow(BlockId target, const RegisterSet& bound) {
    if (entry_[target.index()].keep_only(bound)) changed_ = true;
  }

  const Function& function_;
  std::vector<RegisterSet> entry_;
  bool changed_ = false;
};

void retarget(Terminator& terminator, const std::vector<BlockId>& to) {
  const auto follow = [&](BlockId& target) { target = to[target.index()]; };
  std::visit(Overloaded{
                 [&](Jump& jump) { follow(jump.target); },
                 [&](Branch& branch) {
                   follow(branch.then_target);
                   follow(branch.else_target);
                 },
                 [&](ForNext& next) {
                   follow(next.body);
                   follow(next.exit);
                 },
                 [](Return&) {},
                 [](Raise&) {},
                 [](Reraise&) {},
                 [](Unreachable&) {},
             },
             terminator);
}

void retarget(Function& function, const std::vector<BlockId>& to) {
  for (Block& block : function.blocks) {
    retarget(block.terminator, to);
    if (block.handler) block.handler->target = to[block.handler->target.index()];
  }
}

bool is_empty_jump(const Block& block) {
  return block.instructions.empty() && std::holds_alternative<Jump>(block.terminator);
}

void thread_jumps(Function& function) {
  std::vector<BlockId> to;
  for (std::size_t i = 0; i < function.blocks.size(); ++i) {
    BlockId target(i);
    // An empty endless loop leads to itself: stop after as many steps as there are blocks.
    for (std::size_t steps = 0; steps < function.blocks.size() && is_empty_jump(function.block(target));
         ++steps) {
      target = std::get<Jump>(function.block(target).terminator).target;
    }
    to.push_back(target);
  }
  retarget(function, to);
}

std::vector<bool> reachable_blocks(const Function& function) {
  std::vector<bool> seen(function.blocks.size(), false);
  std::vector<BlockId> waiting = {BlockId(0)};
  seen[0] = true;
  while (!waiting.empty()) {
    const BlockId block = waiting.back();
    waiting.pop_back();
    for (const BlockId next : successors(function.block(block))) {
      if (seen[next.index()]) continue;
      seen[next.index()] = true;
      waiting.push_back(next);
    }
  }
  return seen;
}

// Nothing in it can raise: its handler is never used.
bool is_quiet(const Block& block) {
  const bool quiet_end = std::holds_alternative<Jump>(block.terminator) ||
                         std::holds_alternative<Return>(block.terminator) ||
                         std::holds_alternative<Unreachable>(block.terminator);
  return quiet_end && std::ranges::all_of(block.instructions, never_raises, &Instruction::op);
}

void drop_idle_handlers(Function& function) {
  for (Block& block : function.blocks) {
    if (is_quiet(block)) block.handler.reset();
  }
}

void append(Block& block, Block& next) {
  if (is_quiet(block)) block.handler = next.handler;
  block.position = next.position;
  std::ranges::move(next.instructions, std::back_inserter(block.instructions));
  block.terminator = next.terminator;
  next = Block{};
}

void join_chains(Function& function) {
  const std::vector<bool> seen = reachable_blocks(function);
  std::vector<std::size_t> predecessors(function.blocks.size(), 0);
  predecessors[0] = 1;
  for (std::size_t i = 0; i < function.blocks.size(); ++i) {
    if (!seen[i]) continue;
    for (const BlockId next : successors(function.blocks[i])) ++predecessors[next.index()];
  }
  for (std::size_t i = 0; i < function.blocks.size(); ++i) {
    Block& block = function.blocks[i];
    while (const auto* jump = std::get_if<Jump>(&block.terminator)) {
      Block& next = function.block(jump->target);
      const bool only_way = seen[i] && jump->target.index() != i && predecessors[jump->target.index()] == 1;
      if (!only_way || (block.handler != next.handler && !is_quiet(block) && !is_quiet(next))) break;
      append(block, next);
    }
  }
}

// Numbered as control runs through them, which is how people read.
void drop_unreachable_blocks(Function& function) {
  const std::vector<BlockId> order = weak_topological_order(function).order;
  std::vector<BlockId> to(function.blocks.size());
  std::vector<Block> kept;
  for (const BlockId block : order) {
    to[block.index()] = BlockId(kept.size());
    kept.push_back(std::move(function.block(block)));
  }
  function.blocks = std::move(kept);
  retarget(function, to);
}

}  // namespace

void remove_needless_bound_checks(Function& function) {
  const BoundLocals bound_locals(function);
  for (std::size_t i = 0; i < function.blocks.size(); ++i) {
    RegisterSet bound = bound_locals.at_entry(i);
    std::erase_if(function.blocks[i].instructions, [&](const Instruction& instruction) {
      const bool needless = instruction.op == Op::CheckBound && bound.contains(instruction.operands.front());
      step(instruction, bound);
      return needless;
    });
  }
}

void merge_blocks(Function& function) {
  drop_idle_handlers(function);
  thread_jumps(function);
  join_chains(function);
  drop_unreachable_blocks(function);
}

}  // namespace dycl::program
