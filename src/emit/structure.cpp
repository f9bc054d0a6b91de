// SPDX-License-Identifier: Apache-2.0
#include "emit/structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/overloaded.h"
#include "hcfg/dominance.h"

namespace dycl::emit {
namespace {

constexpr BlockIndex kNowhere = 0xffffffff;

class Structurer {
 public:
  Structurer(const HostPlan& plan, const PlanFlow& plan_flow, std::vector<bool> is_released)
      : plan_(plan),
        plan_flow_(plan_flow),
        flow_(plan_flow.flow),
        is_released_(std::move(is_released)),
        dominators_(flow_) {
    for (const dycl::Loop& loop : find_loops(flow_, dominators_)) add_loop(loop);
    behind_block_.resize(flow_.successors.size());
    behind_loop_.resize(flow_.successors.size());
    place_blocks();
  }

  Statements run() {
    Statements body;
    write_tree(0, kNowhere, body);
    drop_labels(body);  // those that nothing jumps to, which is known at the end
    return body;
  }

 private:
  void add_loop(const dycl::Loop& loop) {
    std::vector<bool>& inside = loops_[static_cast<BlockIndex>(loop.header.index())];
    inside.resize(flow_.successors.size());
    for (const BlockId block : loop.blocks) inside[block.index()] = true;
  }

  // Says behind what each block stands that does not stand where the only edge to it begins.
  void place_blocks() {
    for (const BlockId id : flow_.order) {
      const BlockId parent = dominators_.immediate_dominator(id);
      if (!parent.valid()) continue;
      const auto block = static_cast<BlockIndex>(id.index());
      if (const auto loop = outermost_loop_left(parent, id)) {
        behind_loop_[*loop].push_back(block);
      } else if (forward_edges_to(id) > 1) {
        behind_block_[parent.index()].push_back(block);
      }
    }
  }

  std::size_t forward_edges_to(BlockId block) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(flow_.predecessors[block.index()], [&](const EdgeId& edge) {
          return flow_.reachable(edge.from) && !dominators_.dominates(block, edge.from);
        }));
  }

  std::optional<BlockIndex> outermost_loop_left(BlockId inside, BlockId outside) const {
    std::optional<BlockIndex> outermost;
    for (const auto& [header, members] : loops_)
      if (members[inside.index()] && !members[outside.index()])
        if (!outermost || loops_.at(header)[*outermost]) outermost = header;
    return outermost;
  }

  // The surroundings of the code that is being written.
  struct Frame {
    BlockIndex header = kNowhere;  // of the innermost loop
    BlockIndex after = kNowhere;   // what stands right behind that loop
    bool in_switch = false;        // where `break` would leave a switch
  };

  // A tree that stands at the very end of what was written. Ends are taken one after the other instead of
  // one within the other, so that a program of thousands of blocks costs no stack.
  struct Tail {
    BlockIndex block = kNowhere;
    BlockIndex next = kNowhere;
  };

  // Writes the block and all that it dominates. `next` is what the code behind it begins with.
  void write_tree(BlockIndex block, BlockIndex next, Statements& out) { write_tail({block, next}, out); }

  void write_tail(Tail tail, Statements& out) {
    while (tail.block != kNowhere) tail = write_head(tail.block, tail.next, out);
  }

  Tail write_head(BlockIndex block, BlockIndex next, Statements& out) {
    if (!loops_.contains(block)) return write_sequence(block, next, out);
    const std::vector<BlockIndex>& after = behind_loop_[block];
    const Frame outer = std::exchange(frame_, {block, after.empty() ? next : after.front(), false});
    Loop statement{block, {}};
    open_loops_.insert(block);
    write_tail(write_sequence(block, block, statement.body), statement.body);
    open_loops_.erase(block);
    statement.body.emplace_back(Label{block, true});
    frame_ = outer;
    out.emplace_back(std::move(statement));
    return write_all(after, next, out);
  }

  Tail write_sequence(BlockIndex block, BlockIndex next, Statements& out) {
    const std::vector<BlockIndex>& behind = behind_block_[block];
    if (behind.empty()) return write_block(block, next, out);
    write_tail(write_block(block, behind.front(), out), out);
    return write_all(behind, next, out);
  }

  Tail write_all(const std::vector<BlockIndex>& blocks, BlockIndex next, Statements& out) {
    for (std::size_t index = 0; index < blocks.size(); ++index) {
      out.emplace_back(Label{blocks[index]});
      if (index + 1 == blocks.size()) return {blocks[index], next};
      write_tree(blocks[index], blocks[index + 1], out);
    }
    return {};
  }

  Tail write_block(BlockIndex block, BlockIndex next, Statements& out) {
    const PlanRange range = plan_flow_.blocks[block];
    const PlanOperation& last = plan_flow_.last(plan_, block).operation;
    if (range.end - range.begin > 1 || plan_flow_.goes_on(block)) out.emplace_back(Steps{block});
    if (std::holds_alternative<PlanBranch>(last)) return write_if(block, next, out);
    if (std::holds_alternative<PlanSwitch>(last)) return write_switch(block, next, out);
    if (!flow_.successors[block].empty()) return write_way(block, 0, next, out);
    out.emplace_back(Finish{block});
    return {};
  }

  // What ends elsewhere needs no `else` behind it, so that chains of early exits do not nest.
  Tail write_if(BlockIndex block, BlockIndex next, Statements& out) {
    const bool small_else = weight(block, 1) < weight(block, 0);
    const std::size_t first = small_else ? 1 : 0;
    If choice{block, small_else, {}, {}};
    write_tail(write_way(block, first, next, choice.then), choice.then);
    if (never_falls(choice.then)) {
      out.emplace_back(std::move(choice));
      return write_way(block, 1 - first, next, out);
    }
    write_tail(write_way(block, 1 - first, next, choice.otherwise), choice.otherwise);
    const bool reads_backwards = choice.negated && !choice.otherwise.empty();
    if (choice.then.empty() || reads_backwards) {
      std::swap(choice.then, choice.otherwise);
      choice.negated = !choice.negated;
    }
    if (!choice.then.empty()) out.emplace_back(std::move(choice));
    return {};
  }

  Tail write_switch(BlockIndex block, BlockIndex next, Statements& out) {
    Cases choice{block, {}, {}};
    const bool before = std::exchange(frame_.in_switch, true);
    const std::size_t count = plan_flow_.edges[block].size() - 1;
    for (std::size_t index = 0; index <= count; ++index) {
      Statements& arm = index < count ? choice.cases.emplace_back() : choice.fallback;
      write_tail(write_way(block, index, next, arm), arm);
    }
    frame_.in_switch = before;
    out.emplace_back(std::move(choice));
    return {};
  }

  // How much is written where this edge begins: nothing but a jump, or the whole tree of its target.
  std::size_t weight(BlockIndex block, std::size_t edge) const {
    const auto target = static_cast<BlockIndex>(flow_.successors[block][edge].index());
    return stands_here(block, target) ? 1 + dominators_.size_of(BlockId(target)) : 0;
  }

  bool stands_here(BlockIndex block, BlockIndex target) const {
    const BlockId parent = dominators_.immediate_dominator(BlockId(target));
    return parent == BlockId(block) && forward_edges_to(BlockId(target)) == 1 &&
           !outermost_loop_left(BlockId(block), BlockId(target));
  }

  Tail write_way(BlockIndex block, std::size_t index, BlockIndex next, Statements& out) {
    if (index < plan_flow_.edges[block].size() && does_something(*plan_flow_.edges[block][index]))
      out.emplace_back(Moves{plan_flow_.edges[block][index]});
    const auto target = static_cast<BlockIndex>(flow_.successors[block][index].index());
    if (stands_here(block, target)) return {target, next};
    if (target == next) return {};
    if (target == frame_.header) {
      out.emplace_back(Leave{LeaveKind::Continue, target});
    } else if (target == frame_.after && !frame_.in_switch) {
      out.emplace_back(Leave{LeaveKind::Break, target});
    } else {
      const bool is_trip = open_loops_.contains(target);
      labelled_.insert({target, is_trip});
      out.emplace_back(Leave{is_trip ? LeaveKind::NextTrip : LeaveKind::Goto, target});
    }
    return {};
  }

  [[nodiscard]] bool does_something(const PlanEdge& edge) const {
    return !edge.moves.empty() ||
           std::ranges::any_of(edge.dead, [&](SlotIndex slot) { return is_released_[slot]; });
  }

  static bool never_falls(const Statements& statements) {
    if (statements.empty()) return false;
    const Statement& last = statements.back();
    if (std::holds_alternative<Leave>(last) || std::holds_alternative<Finish>(last)) return true;
    const auto* choice = std::get_if<If>(&last);
    return choice != nullptr && never_falls(choice->then) && never_falls(choice->otherwise);
  }

  void drop_labels(Statements& statements) {
    std::erase_if(statements, [&](const Statement& statement) {
      const auto* label = std::get_if<Label>(&statement);
      return label != nullptr && !labelled_.contains({label->block, label->ends_trip});
    });
    for (Statement& statement : statements) {
      if (auto* choice = std::get_if<If>(&statement)) {
        drop_labels(choice->then);
        drop_labels(choice->otherwise);
      } else if (auto* loop = std::get_if<Loop>(&statement)) {
        drop_labels(loop->body);
      } else if (auto* cases = std::get_if<Cases>(&statement)) {
        for (Statements& one : cases->cases) drop_labels(one);
        drop_labels(cases->fallback);
      }
    }
  }

  const HostPlan& plan_;
  const PlanFlow& plan_flow_;
  const ControlFlow& flow_;
  std::vector<bool> is_released_;
  DominatorTree dominators_;
  std::map<BlockIndex, std::vector<bool>> loops_;      // by header: the members
  std::vector<std::vector<BlockIndex>> behind_block_;  // in flow order
  std::vector<std::vector<BlockIndex>> behind_loop_;   // by header, in flow order
  std::set<std::pair<BlockIndex, bool>> labelled_;     // blocks, and whether the label ends a trip
  std::set<BlockIndex> open_loops_;                    // headers of the loops around what is written
  Frame frame_;
};

}  // namespace

Statements structure_of(const HostPlan& plan, const PlanFlow& flow, std::vector<bool> is_released) {
  return Structurer(plan, flow, std::move(is_released)).run();
}

namespace {

void add_text(const Statements& statements, std::string& text);

std::string braces(const Statements& statements) {
  std::string inner;
  add_text(statements, inner);
  return inner.empty() ? "{ }" : "{ " + inner + "}";
}

void add_text(const Statements& statements, std::string& text) {
  for (const Statement& statement : statements)
    text += std::visit(
        Overloaded{
            [](const Steps& steps) { return fmt::format("steps {} ", steps.block); },
            [](const Moves&) { return std::string("moves "); },
            [](const Leave& leave) {
              if (leave.kind == LeaveKind::Break) return std::string("break ");
              if (leave.kind == LeaveKind::Continue) return std::string("continue ");
              if (leave.kind == LeaveKind::NextTrip) return fmt::format("next trip {} ", leave.target);
              return fmt::format("goto {} ", leave.target);
            },
            [](const Label& label) {
              return fmt::format("{} {} ", label.ends_trip ? "end" : "label", label.block);
            },
            [](const If& choice) {
              std::string result = fmt::format("{} {} {} ", choice.negated ? "unless" : "if", choice.block,
                                               braces(choice.then));
              if (!choice.otherwise.empty()) result += "else " + braces(choice.otherwise) + " ";
              return result;
            },
            [](const Cases& choice) {
              std::string result = fmt::format("switch {} ", choice.block);
              for (const Statements& one : choice.cases) result += "case " + braces(one) + " ";
              return result + "default " + braces(choice.fallback) + " ";
            },
            [](const Loop& loop) { return fmt::format("loop {} ", braces(loop.body)); },
            [](const Finish& finish) { return fmt::format("finish {} ", finish.block); },
        },
        static_cast<const std::variant<Steps, Moves, Leave, Label, If, Cases, Loop, Finish>&>(statement));
}

}  // namespace

std::string to_text(const Statements& structure) {
  std::string text;
  add_text(structure, text);
  return text;
}

}  // namespace dycl::emit
