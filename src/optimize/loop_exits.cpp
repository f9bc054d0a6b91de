// SPDX-License-Identifier: Apache-2.0
#include "optimize/loop_exits.h"

#include <algorithm>
#include <map>
#include <optional>

#include "optimize/replacements.h"

namespace dycl::optimize {
namespace {

// A block outside a loop that edges of the loop lead to.
struct Exit {
  BlockId target;
  bool only_from_loop = false;           // no other edge leads to the target
  std::vector<ValueId> leaving;          // values that are used behind it, in order of discovery
  std::map<ValueId, ValueId> stand_ins;  // leaving value → parameter of the landing
  std::map<SymbolId, SymbolId> symbols;  // symbol bound inside → symbol bound by the landing
};

struct OpenLoop {
  std::vector<Exit> exits;
  bool closable = true;
};

class LoopCloser {
 public:
  LoopCloser(Hcfg& graph, const ControlFlow& flow, const DominatorTree& dominators, const UseTable& table,
             const std::vector<Loop>& loops)
      : graph_(graph),
        flow_(flow),
        dominators_(dominators),
        table_(table),
        loops_(loops),
        binders_(symbol_binders(graph, flow)),
        loop_of_block_(graph.blocks.size(), kNoLoop) {
    for (std::size_t index = 0; index < loops.size(); ++index)
      for (const BlockId block : loops[index].blocks) loop_of_block_[block.index()] = index;
    for (std::size_t index = 0; index < loops.size(); ++index) open_.push_back({exits_of(index), true});
  }

  std::vector<bool> run() {
    find_leaving_values();
    find_leaving_symbols();
    const std::size_t old_blocks = graph_.blocks.size();
    for (std::size_t index = 0; index < open_.size(); ++index)
      if (open_[index].closable)
        for (Exit& exit : open_[index].exits) add_landing(index, exit);
    rename_outside(old_blocks);
    std::vector<bool> closed;
    for (const OpenLoop& loop : open_) closed.push_back(loop.closable);
    return closed;
  }

 private:
  static constexpr std::size_t kNoLoop = static_cast<std::size_t>(-1);

  [[nodiscard]] std::size_t loop_of(BlockId block) const {
    return block.index() < loop_of_block_.size() ? loop_of_block_[block.index()] : kNoLoop;
  }

  [[nodiscard]] BlockId home(ValueId value) const {
    if (value.index() >= table_.definitions.size()) return {};
    const Definition& definition = table_.definition(value);
    const bool in_block =
        definition.kind == DefinitionKind::Parameter || definition.kind == DefinitionKind::Step;
    return in_block ? definition.place.block : BlockId{};
  }

  [[nodiscard]] std::size_t loop_of(ValueId value) const {
    const BlockId block = home(value);
    return block.valid() ? loop_of(block) : kNoLoop;
  }

  [[nodiscard]] std::vector<Exit> exits_of(std::size_t loop) const {
    std::vector<Exit> exits;
    for (const BlockId block : loops_[loop].blocks)
      for (const BlockId target : flow_.successors[block.index()]) {
        if (loop_of(target) == loop || std::ranges::find(exits, target, &Exit::target) != exits.end())
          continue;
        const bool only = std::ranges::all_of(flow_.predecessors[target.index()], [&](const EdgeId& edge) {
          return !flow_.reachable(edge.from) || loop_of(edge.from) == loop;
        });
        exits.push_back({target, only, {}, {}, {}});
      }
    return exits;
  }

  // The exit through which every way from the loop to `block` goes.
  [[nodiscard]] Exit* exit_towards(std::size_t loop, BlockId block) {
    for (Exit& exit : open_[loop].exits)
      if (exit.only_from_loop && dominators_.dominates(exit.target, block)) return &exit;
    return nullptr;
  }

  void leave(std::size_t loop, Exit& exit, ValueId value) {
    if (exit.stand_ins.contains(value)) return;
    exit.stand_ins.emplace(value, ValueId{});
    exit.leaving.push_back(value);
    for_each_dim(graph_.type_of(value), [&](const Dim& dim) { leave_symbols(loop, exit, dim); });
  }

  void leave_symbols(std::size_t loop, Exit& exit, const Dim& dim) {
    for (const auto& term : dim.terms) {
      const ValueId binder = binders_[term.first.index()];
      if (binder.valid() && loop_of(binder) == loop) leave(loop, exit, binder);
    }
  }

  void find_leaving_values() {
    for (std::size_t index = 0; index < graph_.values.size(); ++index) {
      const ValueId value{index};
      const std::size_t loop = loop_of(value);
      if (loop == kNoLoop) continue;
      for (const Place& use : table_.uses_of(value)) {
        if (loop_of(use.block) == loop || !flow_.reachable(use.block)) continue;
        Exit* exit = exit_towards(loop, use.block);
        if (exit == nullptr)
          open_[loop].closable = false;
        else
          leave(loop, *exit, value);
      }
    }
  }

  // Sizes outside that are written with symbols bound inside.
  void find_leaving_symbols() {
    for (std::size_t index = 0; index < graph_.values.size(); ++index) {
      const BlockId block = home(ValueId(index));
      if (!block.valid() || !flow_.reachable(block)) continue;
      for_each_dim(graph_.values[index].type, [&](const Dim& dim) {
        for (const auto& term : dim.terms) {
          const ValueId binder = binders_[term.first.index()];
          const std::size_t loop = binder.valid() ? loop_of(binder) : kNoLoop;
          if (loop == kNoLoop || loop == loop_of(block)) continue;
          Exit* exit = exit_towards(loop, block);
          if (exit == nullptr)
            open_[loop].closable = false;
          else
            leave(loop, *exit, binder);
        }
      });
    }
  }

  // The type at the landing: symbols that the loop or the exit's target binds get a copy there.
  Type landing_type(std::size_t loop, Exit& exit, const Type& type) {
    return map_dims(type, [&](const Dim& dim) {
      Dim renamed(dim.constant);
      for (const auto& [symbol, factor] : dim.terms) {
        const ValueId binder = binders_[symbol.index()];
        const bool bound_here =
            binder.valid() && (loop_of(binder) == loop || is_parameter_of(binder, exit.target));
        renamed = renamed + Dim(bound_here ? copy_of(exit, symbol) : symbol) * factor;
      }
      return renamed;
    });
  }

  [[nodiscard]] bool is_parameter_of(ValueId value, BlockId block) const {
    const Definition& definition = table_.definition(value);
    return definition.kind == DefinitionKind::Parameter && definition.place.block == block;
  }

  SymbolId copy_of(Exit& exit, SymbolId symbol) {
    const auto [found, added] = exit.symbols.try_emplace(symbol);
    if (added) found->second = graph_.add_symbol(graph_.symbols[symbol.index()].name);
    return found->second;
  }

  void add_landing(std::size_t loop, Exit& exit) {
    const BlockId landing = graph_.add_block();
    const auto add_parameter = [&](ValueId like) {
      const ValueId parameter =
          graph_.add_value(landing_type(loop, exit, graph_.type_of(like)), graph_.value(like).name);
      graph_.blocks[landing.index()].parameters.push_back(parameter);
      return parameter;
    };
    Edge onward{exit.target, {}};
    const std::vector<ValueId> expected = graph_.blocks[exit.target.index()].parameters;
    for (const ValueId parameter : expected) onward.arguments.push_back(add_parameter(parameter));
    for (const ValueId value : exit.leaving) exit.stand_ins[value] = add_parameter(value);
    graph_.blocks[landing.index()].source = graph_.blocks[exit.target.index()].source;
    graph_.blocks[landing.index()].terminator = Jump{std::move(onward)};
    for (const BlockId block : loops_[loop].blocks)
      for_each_edge(graph_.blocks[block.index()].terminator, [&](Edge& edge) {
        if (edge.target != exit.target) return;
        edge.target = landing;
        edge.arguments.insert(edge.arguments.end(), exit.leaving.begin(), exit.leaving.end());
      });
  }

  // Uses and sizes in the blocks that were there before, seen from `block`.
  void rename_outside(std::size_t old_blocks) {
    for (std::size_t index = 0; index < old_blocks; ++index) {
      const BlockId block{index};
      if (!flow_.reachable(block)) continue;
      const auto rename = [&](ValueId& value) {
        if (const Exit* exit = way_out(loop_of(value), block)) {
          const auto found = exit->stand_ins.find(value);
          if (found != exit->stand_ins.end()) value = found->second;
        }
      };
      for (Step& step : graph_.blocks[index].steps) for_each_use(step, rename);
      for_each_use(graph_.blocks[index].terminator, rename);
    }
    for (std::size_t index = 0; index < table_.definitions.size(); ++index) {
      const BlockId block = home(ValueId(index));
      if (block.valid() && flow_.reachable(block)) rename_sizes(graph_.values[index].type, block);
    }
  }

  void rename_sizes(Type& type, BlockId block) {
    type = map_dims(type, [&](const Dim& dim) {
      Dim renamed(dim.constant);
      for (const auto& [symbol, factor] : dim.terms) {
        const bool old = symbol.index() < binders_.size() && binders_[symbol.index()].valid();
        const Exit* exit = old ? way_out(loop_of(binders_[symbol.index()]), block) : nullptr;
        const auto copy =
            exit == nullptr ? std::map<SymbolId, SymbolId>::const_iterator{} : exit->symbols.find(symbol);
        const bool renamed_here = exit != nullptr && copy != exit->symbols.end();
        renamed = renamed + Dim(renamed_here ? copy->second : symbol) * factor;
      }
      return renamed;
    });
  }

  // The exit by which a value of the (closed) loop is seen from a block outside it; null if there is none.
  [[nodiscard]] Exit* way_out(std::size_t loop, BlockId block) {
    if (loop == kNoLoop || loop == loop_of(block) || !open_[loop].closable) return nullptr;
    return exit_towards(loop, block);
  }

  Hcfg& graph_;
  const ControlFlow& flow_;
  const DominatorTree& dominators_;
  const UseTable& table_;
  const std::vector<Loop>& loops_;
  std::vector<ValueId> binders_;
  std::vector<std::size_t> loop_of_block_;
  std::vector<OpenLoop> open_;
};

}  // namespace

std::vector<bool> close_loops(Hcfg& graph, const ControlFlow& flow, const DominatorTree& dominators,
                              const UseTable& table, const std::vector<Loop>& loops) {
  return LoopCloser(graph, flow, dominators, table, loops).run();
}

}  // namespace dycl::optimize
