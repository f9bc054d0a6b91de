// SPDX-License-Identifier: Apache-2.0
#include "hcfg/uses.h"

#include <algorithm>
#include <unordered_set>

namespace dycl {
namespace {

class TableBuilder {
 public:
  explicit TableBuilder(const Hcfg& graph) : graph_(graph) {
    table_.definitions.resize(graph.values.size());
    table_.uses.resize(graph.values.size());
  }

  UseTable build() {
    for (std::size_t index = 0; index < graph_.inputs.size(); ++index)
      define(graph_.inputs[index].value, {DefinitionKind::Input, {}, index});
    for (std::size_t index = 0; index < graph_.constants.size(); ++index)
      define(graph_.constants[index].value, {DefinitionKind::Constant, {}, index});
    for (std::size_t block = 0; block < graph_.blocks.size(); ++block) add_block(BlockId(block));
    return std::move(table_);
  }

 private:
  void define(ValueId value, const Definition& definition) {
    Definition& known = table_.definitions[value.index()];
    if (known.kind == DefinitionKind::None) known = definition;
  }

  void add_ids(const std::vector<ValueId>& inputs, const std::vector<ValueId>& outputs, Place place) {
    for (const ValueId id : inputs)
      if (id.valid()) table_.uses[id.index()].push_back(place);
    for (std::size_t index = 0; index < outputs.size(); ++index)
      if (outputs[index].valid()) define(outputs[index], {DefinitionKind::Step, place, index});
  }

  void add_block(BlockId id) {
    const Block& block = graph_.blocks[id.index()];
    for (std::size_t index = 0; index < block.parameters.size(); ++index)
      define(block.parameters[index], {DefinitionKind::Parameter, {id}, index});
    for (std::size_t step = 0; step < block.steps.size(); ++step) add_step(block.steps[step], {id, step});
    for_each_use(block.terminator,
                 [&](ValueId use) { table_.uses[use.index()].push_back({id, block.steps.size()}); });
  }

  void add_step(const Step& step, Place place) {
    std::visit(Overloaded{
                   [&](const SubnetStep& subnet) {
                     for (const TensorOp& op : subnet.ops) {
                       add_ids(inputs_of(op), outputs_of(op), place);
                       ++place.op;
                     }
                   },
                   [&](const HostStep& host) { add_ids(host.inputs, host.outputs, place); },
               },
               step);
  }

  const Hcfg& graph_;
  UseTable table_;
};

bool same_step(const Place& left, const Place& right) {
  return left.block == right.block && left.step == right.step;
}

bool used_outside(ValueId value, const UseTable& table) {
  const Place& home = table.definition(value).place;
  return std::ranges::any_of(table.uses_of(value), [&](const Place& use) { return !same_step(use, home); });
}

// Walks from each use back to the definition: the cost is the size of the answer.
class LivenessBuilder {
 public:
  LivenessBuilder(const Hcfg& graph, const ControlFlow& flow, const UseTable& table)
      : flow_(flow), table_(table) {
    result_.live_in.resize(graph.blocks.size());
    result_.live_out.resize(graph.blocks.size());
  }

  Liveness build() {
    for (std::size_t value = 0; value < table_.definitions.size(); ++value) add_value(ValueId(value));
    return std::move(result_);
  }

 private:
  void add_value(ValueId value) {
    const Definition& definition = table_.definition(value);
    if (definition.kind == DefinitionKind::Constant || definition.kind == DefinitionKind::None) return;
    const BlockId home = definition.kind == DefinitionKind::Input ? BlockId(0) : definition.place.block;
    for (const Place& use : table_.uses_of(value))
      if (use.block != home) enter(use.block, value);
    while (!pending_.empty()) {
      const BlockId block = pending_.back();
      pending_.pop_back();
      for (const EdgeId edge : flow_.predecessors[block.index()]) {
        if (!append_once(result_.live_out[edge.from.index()], value)) continue;
        if (edge.from != home) enter(edge.from, value);
      }
    }
  }

  void enter(BlockId block, ValueId value) {
    if (append_once(result_.live_in[block.index()], value)) pending_.push_back(block);
  }

  // Values come in ascending order, so a repeated one is the last.
  static bool append_once(std::vector<ValueId>& list, ValueId value) {
    if (!list.empty() && list.back() == value) return false;
    list.push_back(value);
    return true;
  }

  const ControlFlow& flow_;
  const UseTable& table_;
  Liveness result_;
  std::vector<BlockId> pending_;
};

}  // namespace

UseTable use_table(const Hcfg& graph) { return TableBuilder(graph).build(); }

SubnetBorder border_of(const SubnetStep& subnet, const UseTable& table) {
  SubnetBorder border;
  std::unordered_set<ValueId> known;  // defined inside, or listed already
  for (const TensorOp& op : subnet.ops) {
    for (const ValueId input : inputs_of(op))
      if (input.valid() && known.insert(input).second) border.inputs.push_back(input);
    for (const ValueId output : outputs_of(op)) {
      if (!output.valid()) continue;
      known.insert(output);
      if (used_outside(output, table)) border.outputs.push_back(output);
    }
  }
  return border;
}

Liveness liveness(const Hcfg& graph, const ControlFlow& flow, const UseTable& table) {
  return LivenessBuilder(graph, flow, table).build();
}

}  // namespace dycl
