// SPDX-License-Identifier: Apache-2.0
#include "hcfg/symbols.h"

namespace dycl {

SymbolBindings::SymbolBindings(const Hcfg& graph, const ControlFlow& flow, const DominatorTree& dominators)
    : dominators_(dominators), bindings_(graph.symbols.size()) {
  for (const Port& port : graph.inputs) bind(graph.type_of(port.value), {DefinitionKind::Input, {}, 0});
  for (const BlockId id : flow.order) {
    const Block& block = graph.blocks[id.index()];
    for (const ValueId parameter : block.parameters)
      bind(graph.type_of(parameter), {DefinitionKind::Parameter, {id}, 0});
    for (std::size_t step = 0; step < block.steps.size(); ++step) {
      if (const auto* subnet = std::get_if<SubnetStep>(&block.steps[step])) {
        for (std::size_t op = 0; op < subnet->ops.size(); ++op)
          for (const ValueId output : outputs_of(subnet->ops[op]))
            if (output.valid()) bind(graph.type_of(output), {DefinitionKind::Step, {id, step, op}, 0});
      } else {
        for_each_definition(block.steps[step], [&](ValueId output) {
          bind(graph.type_of(output), {DefinitionKind::Step, {id, step}, 0});
        });
      }
    }
  }
}

void SymbolBindings::bind(const Type& type, const Definition& definition) {
  const TensorType* tensor = type.tensor();
  if (tensor == nullptr || !tensor->dims) return;
  for (const Dim& dim : *tensor->dims) {
    const auto symbol = dim.as_symbol();
    if (symbol && bindings_[symbol->index()].kind == DefinitionKind::None)
      bindings_[symbol->index()] = definition;
  }
}

bool SymbolBindings::bound_before(SymbolId symbol, BlockId block) const {
  const Definition& found = binding(symbol);
  if (found.kind == DefinitionKind::Input) return true;
  if (found.kind == DefinitionKind::None) return false;
  return found.place.block != block && dominators_.dominates(found.place.block, block);
}

bool SymbolBindings::bound_at_entry(SymbolId symbol, BlockId block) const {
  const Definition& found = binding(symbol);
  if (found.kind == DefinitionKind::Parameter && found.place.block == block) return true;
  return bound_before(symbol, block);
}

bool SymbolBindings::bound_at(SymbolId symbol, Place place) const {
  if (bound_at_entry(symbol, place.block)) return true;
  const Definition& found = binding(symbol);
  return found.kind == DefinitionKind::Step && found.place.block == place.block && found.place <= place;
}

}  // namespace dycl
