// SPDX-License-Identifier: Apache-2.0
#include "optimize/remove_dead_code.h"

#include <algorithm>

#include "base/overloaded.h"
#include "hcfg/effects.h"
#include "hcfg/uses.h"
#include "optimize/edit.h"
#include "optimize/replacements.h"

namespace dycl::optimize {
namespace {

// Marks what the decisions and results of a program depend on.
class LiveValues {
 public:
  explicit LiveValues(const Hcfg& graph)
      : graph_(graph),
        flow_(control_flow(graph)),
        table_(use_table(graph)),
        binders_(symbol_binders(graph, flow_)),
        live_(graph.values.size()) {
    for (const Port& input : graph.inputs) mark(input.value);
    for (const Block& block : graph.blocks) {
      mark_decisions(block.terminator);
      mark_effects(block);
    }
    while (!pending_.empty()) {
      const ValueId value = pending_.back();
      pending_.pop_back();
      mark_needs(value);
    }
  }

  [[nodiscard]] bool contains(ValueId value) const { return live_[value.index()]; }

 private:
  void mark(ValueId value) {
    if (!value.valid() || live_[value.index()]) return;
    live_[value.index()] = true;
    pending_.push_back(value);
  }

  void mark_all(const std::vector<ValueId>& values) {
    for (const ValueId value : values) mark(value);
  }

  // Edge arguments are not decisions: they matter only if the parameter they feed does.
  void mark_decisions(const Terminator& terminator) {
    std::visit(Overloaded{
                   [](const Jump&) {},
                   [&](const Branch& branch) { mark(branch.condition); },
                   [&](const Switch& choice) { mark(choice.index); },
                   [&](const Return& done) { mark_all(done.values); },
                   [&](const Raise& raise) { mark_all(raise.scalars); },
               },
               terminator);
  }

  // What raises in the model raises here, whether or not its result is used.
  void mark_effects(const Block& block) {
    for (const Step& step : block.steps)
      if (const auto* host = std::get_if<HostStep>(&step); host != nullptr && has_effect(graph_, *host)) {
        mark_all(host->inputs);
        mark_all(host->outputs);
      }
  }

  void mark_needs(ValueId value) {
    for_each_dim(graph_.type_of(value), [&](const Dim& dim) {
      for (const auto& term : dim.terms) mark(binders_[term.first.index()]);
    });
    const Definition& definition = table_.definition(value);
    const Place& place = definition.place;
    if (definition.kind == DefinitionKind::Parameter) {
      for (const EdgeId& edge : flow_.predecessors[place.block.index()])
        mark(edge_of(graph_, edge).arguments[definition.index]);
    } else if (definition.kind == DefinitionKind::Step) {
      const Step& step = graph_.blocks[place.block.index()].steps[place.step];
      if (const auto* subnet = std::get_if<SubnetStep>(&step))
        mark_all(inputs_of(subnet->ops[place.op]));
      else
        mark_all(std::get<HostStep>(step).inputs);
    }
  }

  const Hcfg& graph_;
  ControlFlow flow_;
  UseTable table_;
  std::vector<ValueId> binders_;
  std::vector<bool> live_;
  std::vector<ValueId> pending_;
};

}  // namespace

Result<Hcfg> remove_dead_code(Hcfg graph, const PassContext&) {
  drop_unreachable_blocks(graph);
  const LiveValues live(graph);
  const auto dead = [&](ValueId value) { return !value.valid() || !live.contains(value); };
  drop_parameters(graph, dead);
  drop_steps(graph, [&](const std::vector<ValueId>& outputs) { return std::ranges::all_of(outputs, dead); });
  compact_tables(graph);
  return graph;
}

}  // namespace dycl::optimize
