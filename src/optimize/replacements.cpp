// SPDX-License-Identifier: Apache-2.0
#include "optimize/replacements.h"

#include <algorithm>
#include <utility>

#include "base/result.h"
#include "hcfg/type_flow.h"
#include "hcfg/uses.h"
#include "optimize/edit.h"

namespace dycl::optimize {

void for_each_dim(const Type& type, const std::function<void(const Dim&)>& visit) {
  if (const TensorType* tensor = type.tensor(); tensor != nullptr && tensor->dims)
    for (const Dim& dim : *tensor->dims) visit(dim);
}

Type map_dims(const Type& type, const std::function<Dim(const Dim&)>& change) {
  Type changed = type;
  if (auto* tensor = std::get_if<TensorType>(&changed); tensor != nullptr && tensor->dims)
    for (Dim& dim : *tensor->dims) dim = change(dim);
  return changed;
}

std::vector<ValueId> symbol_binders(const Hcfg& graph, const ControlFlow& flow) {
  std::vector<ValueId> binders(graph.symbols.size());
  const auto bind = [&](ValueId value) {
    for_each_dim(graph.type_of(value), [&](const Dim& dim) {
      const std::optional<SymbolId> symbol = dim.as_symbol();
      if (symbol && !binders[symbol->index()].valid()) binders[symbol->index()] = value;
    });
  };
  for (const Port& input : graph.inputs) bind(input.value);
  for (const BlockId id : flow.order) {
    const Block& block = graph.blocks[id.index()];
    for (const ValueId parameter : block.parameters) bind(parameter);
    for (const Step& step : block.steps) for_each_definition(step, bind);
  }
  return binders;
}

Replacements::Replacements(const Hcfg& graph, const ControlFlow& flow)
    : graph_(&graph),
      binders_(symbol_binders(graph, flow)),
      instead_(graph.values.size()),
      sizes_(graph.symbols.size()) {}

bool Replacements::match_dim(Match& group, const Dim& from, const Dim& to) const {
  const Dim wanted = resolve(from, group.sizes);
  const Dim given = resolve(to, group.sizes);
  if (wanted == given) return true;
  const std::optional<SymbolId> symbol = wanted.as_symbol();
  const bool bound_here =
      symbol && std::ranges::find(group.from, binders_[symbol->index()]) != group.from.end();
  if (bound_here) group.sizes.emplace(*symbol, given);
  return bound_here;
}

bool Replacements::match_type(Match& group, const Type& from, const Type& to) const {
  const TensorType* wanted = from.tensor();
  if (wanted == nullptr || to.tensor() == nullptr) return flows_into(to, from);
  const TensorType* given = to.tensor();
  if (wanted->dtype != given->dtype || wanted->device != given->device) return false;
  if (!wanted->dims) return true;
  if (!given->dims || given->dims->size() != wanted->dims->size()) return false;
  for (std::size_t axis = 0; axis < wanted->dims->size(); ++axis)
    if (!match_dim(group, (*wanted->dims)[axis], (*given->dims)[axis])) return false;
  return true;
}

bool Replacements::match(Match& group, std::span<const ValueId> to) const {
  for (std::size_t index = 0; index < to.size(); ++index)
    if (!match_type(group, graph_->type_of(group.from[index]), graph_->type_of(to[index]))) return false;
  return true;
}

bool Replacements::possible(std::span<const ValueId> from, std::span<const ValueId> to) const {
  Match group{from, {}};
  return match(group, to);
}

bool Replacements::replace(std::span<const ValueId> from, std::span<const ValueId> to) {
  Match group{from, {}};
  if (!match(group, to)) return false;
  for (auto& [symbol, size] : group.sizes) replace_symbol(symbol, size);
  for (std::size_t index = 0; index < to.size(); ++index) {
    if (resolve(to[index]) == from[index]) internal_error("a value would be replaced by itself");
    instead_[from[index].index()] = to[index];
  }
  count_ += to.size();
  return true;
}

ValueId Replacements::resolve(ValueId value) const {
  ValueId last = value;
  while (last.index() < instead_.size() && instead_[last.index()].valid()) last = instead_[last.index()];
  while (value != last) value = std::exchange(instead_[value.index()], last);
  return last;
}

// A size may mention symbols that are replaced themselves; each was bound earlier, so this ends.
Dim Replacements::resolve(const Dim& dim, const Sizes& more) const {
  Dim current = dim;
  for (bool changed = !dim.is_static(); changed;) {
    changed = false;
    Dim next(current.constant);
    for (const auto& [symbol, factor] : current.terms) {
      const auto extra = more.find(symbol);
      const bool known = symbol.index() < sizes_.size() && sizes_[symbol.index()];
      const Dim& size = extra != more.end() ? extra->second : known ? *sizes_[symbol.index()] : Dim(symbol);
      next = next + size * factor;
      changed = changed || known || extra != more.end();
    }
    current = std::move(next);
  }
  return current;
}

void Replacements::apply_to_types(Hcfg& graph) const {
  if (std::ranges::none_of(sizes_, [](const auto& size) { return size.has_value(); })) return;
  const auto change = [&](const Dim& dim) { return resolve(dim); };
  for (GraphValue& value : graph.values) value.type = map_dims(value.type, change);
}

void Replacements::apply(Hcfg& graph) const {
  const auto gone = [&](ValueId value) {
    return value.index() < instead_.size() && instead_[value.index()].valid();
  };
  if (!empty()) {
    drop_parameters(graph, gone);
    drop_steps(graph, [&](const std::vector<ValueId>& outputs) {
      return std::ranges::all_of(outputs, [&](ValueId output) { return !output.valid() || gone(output); });
    });
    const auto rewrite = [&](ValueId& value) { value = resolve(value); };
    for (Block& block : graph.blocks) {
      for (Step& step : block.steps) for_each_use(step, rewrite);
      for_each_use(block.terminator, rewrite);
    }
  }
  apply_to_types(graph);
}

}  // namespace dycl::optimize
