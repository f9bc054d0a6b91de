// SPDX-License-Identifier: Apache-2.0
#include "optimize/thread_jumps.h"

#include <algorithm>

#include "hcfg/uses.h"
#include "optimize/edit.h"
#include "optimize/known_values.h"
#include "optimize/replacements.h"

namespace dycl::optimize {
namespace {

class Threading {
 public:
  explicit Threading(Hcfg& graph)
      : graph_(graph),
        flow_(control_flow(graph)),
        table_(use_table(graph)),
        known_(graph),
        leaks_(leaking_symbols()) {
    for (const Block& block : graph.blocks)
      passable_.push_back(is_passable(block, BlockId(passable_.size())));
  }

  // Later blocks first: what an edge finds at its target leads as far as it can already.
  void run() {
    for (auto block = flow_.order.rbegin(); block != flow_.order.rend(); ++block) {
      Terminator& terminator = graph_.blocks[block->index()].terminator;
      for_each_edge(terminator, [&](Edge& edge) { lead_on(edge); });
      if (const std::optional<Edge> only = only_edge(terminator)) terminator = Jump{*only};
    }
    drop_unreachable_blocks(graph_);
  }

 private:
  // Symbols that a block parameter binds and that a value other than a parameter of that block mentions.
  [[nodiscard]] std::vector<bool> leaking_symbols() const {
    const std::vector<ValueId> binders = symbol_binders(graph_, flow_);
    std::vector<bool> leaks(graph_.symbols.size());
    const auto home = [&](ValueId value) {
      const Definition& definition = table_.definition(value);
      return definition.kind == DefinitionKind::Parameter ? definition.place.block : BlockId{};
    };
    for (std::size_t index = 0; index < graph_.values.size(); ++index)
      for_each_dim(graph_.values[index].type, [&](const Dim& dim) {
        for (const auto& term : dim.terms) {
          const ValueId binder = binders[term.first.index()];
          if (!binder.valid() || !home(binder).valid() || home(binder) != home(ValueId(index)))
            leaks[term.first.index()] = true;
        }
      });
    return leaks;
  }

  [[nodiscard]] bool is_passable(const Block& block, BlockId id) const {
    if (!block.steps.empty() || id.index() == 0) return false;
    return std::ranges::all_of(block.parameters, [&](ValueId parameter) {
      bool symbols_stay = true;
      for_each_dim(graph_.type_of(parameter), [&](const Dim& dim) {
        for (const auto& term : dim.terms)
          symbols_stay = symbols_stay && (!leaks_[term.first.index()] || !binds(parameter, term.first));
      });
      return symbols_stay && std::ranges::all_of(table_.uses_of(parameter),
                                                 [&](const Place& place) { return place.block == id; });
    });
  }

  [[nodiscard]] bool binds(ValueId parameter, SymbolId symbol) const {
    bool exactly = false;
    for_each_dim(graph_.type_of(parameter),
                 [&](const Dim& dim) { exactly = exactly || dim.as_symbol() == symbol; });
    return exactly;
  }

  // The value that `value`, seen inside the edge's target, has when the edge is taken.
  [[nodiscard]] ValueId along(const Edge& edge, ValueId value) const {
    const std::vector<ValueId>& parameters = graph_.blocks[edge.target.index()].parameters;
    const auto found = std::ranges::find(parameters, value);
    return found == parameters.end() ? value
                                     : edge.arguments[static_cast<std::size_t>(found - parameters.begin())];
  }

  [[nodiscard]] bool is_loop_header(BlockId block) const {
    return std::ranges::any_of(flow_.predecessors[block.index()], [&](const EdgeId& edge) {
      return flow_.reachable(edge.from) && flow_.position[edge.from.index()] >= flow_.position[block.index()];
    });
  }

  // The edge that is taken next, whatever the rest of the program does.
  [[nodiscard]] const Edge* certain_next(const Edge& edge, bool entered_loop) const {
    const Block& target = graph_.blocks[edge.target.index()];
    if (!passable_[edge.target.index()]) return nullptr;
    if (const auto* jump = std::get_if<Jump>(&target.terminator))
      return jump->edge.target == edge.target ? nullptr : &jump->edge;
    if (entered_loop || is_loop_header(edge.target)) return nullptr;
    const std::optional<std::size_t> choice =
        known_choice(target.terminator, [&](ValueId value) { return known_.scalar(along(edge, value)); });
    return choice ? &edge_of(graph_, {edge.target, *choice}) : nullptr;
  }

  void lead_on(Edge& edge) {
    constexpr int kPatience = 16;  // empty blocks may go round in circles
    bool entered_loop = false;     // past an empty header, the next block is the header
    for (int hops = 0; hops < kPatience; ++hops) {
      const Edge* next = certain_next(edge, entered_loop);
      if (next == nullptr) return;
      entered_loop = entered_loop || is_loop_header(edge.target);
      Edge led{next->target, {}};
      for (const ValueId argument : next->arguments) led.arguments.push_back(along(edge, argument));
      edge = std::move(led);
    }
  }

  [[nodiscard]] static std::optional<Edge> only_edge(const Terminator& terminator) {
    std::optional<Edge> only;
    bool agree = true;
    for_each_edge(terminator, [&](const Edge& edge) {
      agree = agree && (!only || (only->target == edge.target && only->arguments == edge.arguments));
      only = edge;
    });
    return agree && !std::holds_alternative<Jump>(terminator) ? only : std::nullopt;
  }

  Hcfg& graph_;
  ControlFlow flow_;
  UseTable table_;
  KnownValues known_;
  std::vector<bool> leaks_;     // per symbol
  std::vector<bool> passable_;  // per block: no steps, and its parameters are used nowhere else
};

}  // namespace

Result<Hcfg> thread_jumps(Hcfg graph, const PassContext&) {
  Threading(graph).run();
  return graph;
}

}  // namespace dycl::optimize
