// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "hcfg/type_flow.h"
#include "hcfg/verify_parts.h"

namespace dycl {
namespace {

// Inputs, constants and parameters stand at the beginning of their block; an operation's outputs
// behind it, so that its own inputs may not name them.
bool defined_before(const Definition& definition, Place use, const DominatorTree& dominators) {
  switch (definition.kind) {
    case DefinitionKind::None: return false;
    case DefinitionKind::Input:
    case DefinitionKind::Constant: return true;
    case DefinitionKind::Parameter: return dominators.dominates(definition.place.block, use.block);
    case DefinitionKind::Step: break;
  }
  if (definition.place.block == use.block) return definition.place < use;
  return dominators.dominates(definition.place.block, use.block);
}

// `definition` is a parameter or a step's output.
Status verify_top_level_dims(const Hcfg& graph, ValueId value, const Definition& definition,
                             const SymbolBindings& symbols) {
  const TensorType* tensor = graph.type_of(value).tensor();
  if (tensor == nullptr || !tensor->dims) return {};
  const Place place = definition.place;
  for (const Dim& dim : *tensor->dims)
    for (const auto& term : dim.terms)
      if (definition.kind == DefinitionKind::Parameter ? !symbols.bound_at_entry(term.first, place.block)
                                                       : !symbols.bound_at(term.first, place))
        return illegal(graph, place,
                       fmt::format("the type {} of {} uses the symbol {} where it has no size",
                                   describe(graph, graph.type_of(value)), describe(graph, value),
                                   graph.symbols[term.first.index()].name));
  return {};
}

Status verify_input_dims(const Hcfg& graph, const Port& port, const SymbolBindings& symbols) {
  const TensorType* tensor = graph.type_of(port.value).tensor();
  if (tensor == nullptr || !tensor->dims) return {};
  for (const Dim& dim : *tensor->dims)
    for (const auto& term : dim.terms)
      if (symbols.binding(term.first).kind != DefinitionKind::Input)
        return illegal(fmt::format("input '{}' uses the symbol {}, which no input has as a whole size",
                                   port.name, graph.symbols[term.first.index()].name));
  return {};
}

// Do the arguments of one edge fit the parameters of its target? Symbols that the parameters bind
// take their size from the arguments, and must take one size.
class EdgeChecker {
 public:
  EdgeChecker(const Hcfg& graph, const SymbolBindings& symbols, const Edge& edge)
      : graph_(graph), symbols_(symbols), edge_(edge) {}

  // The number of the first argument that does not fit.
  std::optional<std::size_t> first_misfit() {
    const auto& parameters = graph_.blocks[edge_.target.index()].parameters;
    for (std::size_t index = 0; index < parameters.size(); ++index) {
      const Type& to = graph_.type_of(parameters[index]);
      if (!flows_into(graph_.type_of(edge_.arguments[index]), to) || !binds_consistently(index, to))
        return index;
    }
    for (std::size_t index = 0; index < parameters.size(); ++index)
      if (!sizes_follow(index, graph_.type_of(parameters[index]))) return index;
    return std::nullopt;
  }

 private:
  template <class Check>
  bool all_dims(std::size_t index, const Type& to, const Check& check) {
    const TensorType* target = to.tensor();
    if (target == nullptr || !target->dims) return true;
    const TensorType* given = graph_.type_of(edge_.arguments[index]).tensor();
    for (std::size_t axis = 0; axis < target->dims->size(); ++axis)
      if (!check((*given->dims)[axis], (*target->dims)[axis])) return false;
    return true;
  }

  bool binds_consistently(std::size_t index, const Type& to) {
    return all_dims(index, to, [&](const Dim& given, const Dim& wanted) {
      const auto symbol = wanted.as_symbol();
      if (!symbol || symbols_.bound_before(*symbol, edge_.target)) return true;
      const auto [known, added] = bound_.try_emplace(*symbol, given);
      return added || known->second == given;
    });
  }

  bool sizes_follow(std::size_t index, const Type& to) {
    return all_dims(index, to,
                    [&](const Dim& given, const Dim& wanted) { return given == substituted(wanted); });
  }

  // The size in terms of the arguments' symbols; nullopt when its numbers leave 64 bits.
  [[nodiscard]] std::optional<Dim> substituted(const Dim& dim) const {
    Dim result(dim.constant);
    std::map<SymbolId, std::int64_t> factors;
    const auto add = [](std::int64_t& sum, std::int64_t factor, std::int64_t number) {
      std::int64_t product = 0;
      return !__builtin_mul_overflow(factor, number, &product) && !__builtin_add_overflow(sum, product, &sum);
    };
    for (const auto& [symbol, factor] : dim.terms) {
      const auto known = bound_.find(symbol);
      const Dim size = known == bound_.end() ? Dim(symbol) : known->second;
      if (!add(result.constant, factor, size.constant)) return std::nullopt;
      for (const auto& [inner, inner_factor] : size.terms)
        if (!add(factors[inner], factor, inner_factor)) return std::nullopt;
    }
    for (const auto& [symbol, factor] : factors)
      if (factor != 0) result.terms.emplace_back(symbol, factor);
    return result;
  }

  const Hcfg& graph_;
  const SymbolBindings& symbols_;
  const Edge& edge_;
  std::map<SymbolId, Dim> bound_;
};

Status verify_edge(const Hcfg& graph, const SymbolBindings& symbols, const Edge& edge, Place place) {
  const auto misfit = EdgeChecker(graph, symbols, edge).first_misfit();
  if (!misfit) return {};
  const ValueId argument = edge.arguments[*misfit];
  const ValueId parameter = graph.blocks[edge.target.index()].parameters[*misfit];
  return illegal(
      graph, place,
      fmt::format("{} of type {} does not fit the parameter {} of b{}, of type {}", describe(graph, argument),
                  describe(graph, graph.type_of(argument)), describe(graph, parameter), edge.target.value,
                  describe(graph, graph.type_of(parameter))));
}

}  // namespace

Status verify_order(const Hcfg& graph, const ControlFlow& flow, const DominatorTree& dominators) {
  const UseTable table = use_table(graph);
  for (std::size_t value = 0; value < graph.values.size(); ++value)
    for (const Place& use : table.uses[value])
      if (flow.reachable(use.block) && !defined_before(table.definitions[value], use, dominators))
        return illegal(graph, use,
                       fmt::format("{} is used where its definition has not always run",
                                   describe(graph, ValueId(value))));
  const std::vector<EdgeId> irreducible = irreducible_edges(flow, dominators);
  if (irreducible.empty()) return {};
  const EdgeId edge = irreducible.front();
  return illegal(
      graph, {edge.from, graph.blocks[edge.from.index()].steps.size()},
      fmt::format("the edge to b{} enters a loop that has another entry", edge_of(graph, edge).target.value));
}

Status verify_ranges(const Hcfg& graph) {
  std::vector<bool> of_input(graph.symbols.size(), false);
  for (const Port& port : graph.inputs)
    for_each_dim_within(port.type, [&](const Dim& dim) {
      for (const auto& term : dim.terms) of_input[term.first.index()] = true;
    });
  for (std::size_t index = 0; index < graph.symbols.size(); ++index) {
    const Symbol& symbol = graph.symbols[index];
    if (!symbol.range.well_formed())
      return illegal(fmt::format("the range {}..{} of the symbol {} is empty or negative",
                                 symbol.range.smallest, symbol.range.largest, symbol.name));
    if (symbol.range.limited() && !of_input[index])
      return illegal(fmt::format("the symbol {} has a range, but no input has that size", symbol.name));
  }
  return {};
}

Status verify_symbols(const Hcfg& graph, const ControlFlow& flow, const SymbolBindings& symbols) {
  for (const Port& port : graph.inputs)
    if (auto status = verify_input_dims(graph, port, symbols); !status) return status;
  const UseTable table = use_table(graph);
  for (std::size_t value = 0; value < graph.values.size(); ++value) {
    const Definition& definition = table.definitions[value];
    const bool in_block =
        definition.kind == DefinitionKind::Parameter || definition.kind == DefinitionKind::Step;
    if (!in_block || !flow.reachable(definition.place.block)) continue;
    if (auto status = verify_top_level_dims(graph, ValueId(value), definition, symbols); !status)
      return status;
  }
  return {};
}

Status verify_edges(const Hcfg& graph, const ControlFlow& flow, const SymbolBindings& symbols) {
  for (const BlockId id : flow.order) {
    const Block& block = graph.blocks[id.index()];
    Status status;
    for_each_edge(block.terminator, [&](const Edge& edge) {
      if (status) status = verify_edge(graph, symbols, edge, {id, block.steps.size()});
    });
    if (!status) return status;
  }
  return {};
}

}  // namespace dycl
