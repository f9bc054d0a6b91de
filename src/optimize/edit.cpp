// SPDX-License-Identifier: Apache-2.0
#include "optimize/edit.h"

#include <algorithm>
#include <utility>

#include "hcfg/uses.h"
#include "optimize/replacements.h"

namespace dycl::optimize {
namespace {

void keep_marked(std::vector<ValueId>& ids, const std::vector<bool>& kept) {
  std::size_t count = 0;
  for (std::size_t index = 0; index < ids.size(); ++index)
    if (kept[index]) ids[count++] = ids[index];
  ids.resize(count);
}

bool is_empty_subnet(const Step& step) {
  const auto* subnet = std::get_if<SubnetStep>(&step);
  return subnet != nullptr && subnet->ops.empty();
}

// New numbers for the ids in use; everything else keeps an invalid id.
template <class IdType>
class Numbering {
 public:
  explicit Numbering(std::size_t size) : used_(size), number_(size) {}
  void mark(IdType id) {
    if (id.valid()) used_[id.index()] = true;
  }
  template <class T>
  void compact(std::vector<T>& table) {
    std::size_t count = 0;
    for (std::size_t index = 0; index < table.size(); ++index) {
      if (!used_[index]) continue;
      if (count != index) table[count] = std::move(table[index]);
      number_[index] = IdType(count++);
    }
    table.resize(count);
  }
  void renumber(IdType& id) const {
    if (id.valid()) id = number_[id.index()];
  }
  [[nodiscard]] bool used(IdType id) const { return used_[id.index()]; }

 private:
  std::vector<bool> used_;
  std::vector<IdType> number_;
};

template <class Visit>
void for_each_value(Hcfg& graph, const Visit& visit) {
  for (Port& port : graph.inputs) visit(port.value);
  for (Block& block : graph.blocks) {
    for (ValueId& parameter : block.parameters) visit(parameter);
    for (Step& step : block.steps) {
      for_each_use(step, visit);
      for_each_definition(step, visit);
    }
    for_each_use(block.terminator, visit);
  }
}

// Unlike passes, tables look into sequences and optionals too.
template <class Visit>
void for_each_dim_within(const Type& type, const Visit& visit) {
  const Type* inner = &type;
  while (inner->seq() != nullptr || inner->optional() != nullptr)
    inner = inner->seq() != nullptr ? inner->seq()->element.get() : inner->optional()->element.get();
  for_each_dim(*inner, visit);
}

Type map_dims_within(const Type& type, const std::function<Dim(const Dim&)>& change) {
  if (const SeqType* seq = type.seq()) return seq_of(map_dims_within(*seq->element, change));
  if (const OptionalType* optional = type.optional())
    return optional_of(map_dims_within(*optional->element, change));
  return map_dims(type, change);
}

template <class Visit>
void for_each_type(Hcfg& graph, const Visit& visit) {
  for (Port& port : graph.inputs) visit(port.type);
  for (Port& port : graph.outputs) visit(port.type);
  for (GraphValue& value : graph.values) visit(value.type);
}

void compact_symbols(Hcfg& graph) {
  Numbering<SymbolId> symbols(graph.symbols.size());
  for_each_type(graph, [&](const Type& type) {
    for_each_dim_within(type, [&](const Dim& dim) {
      for (const auto& term : dim.terms) symbols.mark(term.first);
    });
  });
  const std::size_t before = graph.symbols.size();
  symbols.compact(graph.symbols);
  if (graph.symbols.size() == before) return;
  for_each_type(graph, [&](Type& type) {
    type = map_dims_within(type, [&](const Dim& dim) {
      Dim renumbered = dim;
      for (auto& term : renumbered.terms) symbols.renumber(term.first);
      return renumbered;
    });
  });
}

}  // namespace

void drop_parameters(Hcfg& graph, const std::function<bool(ValueId parameter)>& gone) {
  std::vector<std::vector<bool>> kept(graph.blocks.size());  // empty: all of them
  for (std::size_t index = 0; index < graph.blocks.size(); ++index) {
    std::vector<ValueId>& parameters = graph.blocks[index].parameters;
    if (std::ranges::none_of(parameters, gone)) continue;
    for (const ValueId parameter : parameters) kept[index].push_back(!gone(parameter));
    keep_marked(parameters, kept[index]);
  }
  for (Block& block : graph.blocks)
    for_each_edge(block.terminator, [&](Edge& edge) {
      if (!kept[edge.target.index()].empty()) keep_marked(edge.arguments, kept[edge.target.index()]);
    });
}

void drop_steps(Hcfg& graph, const std::function<bool(const std::vector<ValueId>& outputs)>& gone) {
  for (Block& block : graph.blocks) {
    for (Step& step : block.steps)
      if (auto* subnet = std::get_if<SubnetStep>(&step))
        std::erase_if(subnet->ops, [&](const TensorOp& op) { return gone(outputs_of(op)); });
    std::erase_if(block.steps, [&](const Step& step) {
      if (const auto* host = std::get_if<HostStep>(&step))
        return family_of(host->op) != HostOpFamily::Effect && gone(host->outputs);
      return is_empty_subnet(step);
    });
  }
}

void keep_blocks(Hcfg& graph, const std::vector<bool>& kept) {
  Numbering<BlockId> blocks(graph.blocks.size());
  for (std::size_t index = 0; index < kept.size(); ++index)
    if (kept[index]) blocks.mark(BlockId(index));
  blocks.compact(graph.blocks);
  for (Block& block : graph.blocks)
    for_each_edge(block.terminator, [&](Edge& edge) { blocks.renumber(edge.target); });
}

void drop_unreachable_blocks(Hcfg& graph) {
  const ControlFlow flow = control_flow(graph);
  if (flow.order.size() == graph.blocks.size()) return;
  std::vector<bool> kept(graph.blocks.size());
  for (const BlockId block : flow.order) kept[block.index()] = true;
  keep_blocks(graph, kept);
}

void compact_tables(Hcfg& graph) {
  Numbering<ValueId> values(graph.values.size());
  for_each_value(graph, [&](ValueId value) { values.mark(value); });
  std::erase_if(graph.constants, [&](const Constant& constant) { return !values.used(constant.value); });
  values.compact(graph.values);
  for_each_value(graph, [&](ValueId& value) { values.renumber(value); });
  for (Constant& constant : graph.constants) values.renumber(constant.value);
  compact_symbols(graph);
}

}  // namespace dycl::optimize
