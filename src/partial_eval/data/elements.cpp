// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/data/elements.h"

#include "partial_eval/data/numbers.h"
#include "partial_eval/data/unwritten.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {

std::optional<ElementType> element_type(Machine& machine, const State& state, const AbstractValue& item) {
  if (const auto kind = number_kind(item)) {
    if (item.scalar() == nullptr && !known_scalar(item)) return std::nullopt;
    return ElementType{ScalarType{*kind}, *kind, {}};
  }
  const AbstractValue now = current(state, item);
  if (const auto* tensor = state.heap.get<TensorObject>(now))
    return ElementType{tensor->spec->type, ScalarKind::Bool, tensor->spec};
  const nb::object* live = now.constant();
  if (live == nullptr || !machine.torch.is_tensor(*live)) return std::nullopt;
  const SpecPtr spec = machine.torch.spec_of(*live);
  return ElementType{spec->type, ScalarKind::Bool, spec};
}

bool add_to_common(Machine& machine, const State& state, std::span<const AbstractValue> items,
                   std::optional<ElementType>& common) {
  for (const AbstractValue& item : items) {
    auto type = element_type(machine, state, item);
    if (!type || (common && !(type->type == common->type))) return false;
    if (!common) common = std::move(type);
  }
  return true;
}

bool is_plain_tuple(const State& state, const AbstractValue& value) {
  if (const auto* tuple = state.heap.get<TupleObject>(value)) return tuple->type.is(builtin(PyTuple_Type));
  if (const auto* sequence = state.heap.get<SequenceObject>(value)) return sequence->is_tuple;
  return value.constant() != nullptr && PyTuple_CheckExact(value.constant()->ptr());
}

std::optional<std::vector<AbstractValue>> known_elements(const State& state, const AbstractValue& value) {
  if (const auto* list = state.heap.get<ListObject>(value)) return list->items;
  if (!is_plain_tuple(state, value)) return std::nullopt;
  if (const auto* tuple = state.heap.get<TupleObject>(value)) return tuple->items;
  return value.constant() == nullptr ? std::nullopt : std::optional(live_elements(*value.constant()));
}

AbstractValue any_element(State& state, const ElementType& type) {
  if (type.spec == nullptr) return ScalarValue{ValueId(0), type.kind, nullptr};
  TensorObject tensor;
  tensor.spec = type.spec;
  tensor.free_layout = true;  // elements may come from anywhere
  return state.make(std::move(tensor));
}

ValueId list_of(Machine& machine, State& state, std::vector<ValueId> items, const Type& type) {
  const HostOp op = items.empty() ? HostOp::SeqEmpty : HostOp::SeqOf;
  return machine.emitter.host(state, op, std::move(items), type, "list", {}, machine.source(state));
}

ValueId item_id(Machine& machine, State& state, const AbstractValue& item) {
  if (const auto* tensor = state.heap.get<TensorObject>(item)) {
    refuse_unwritten(machine, state, *tensor, "a list whose length depends on the path");
    return tensor->value;
  }
  return number_kind(item) ? scalar_id(machine, state, item) : machine.emitter.weight(*item.constant());
}

}  // namespace dycl::partial_eval
