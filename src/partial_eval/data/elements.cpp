// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/data/elements.h"

#include <algorithm>

#include "base/overloaded.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/unwritten.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"
#include "partial_eval/values/same_static.h"

namespace dycl::partial_eval {
namespace {

constexpr int kDeepestRecord = 8;

// An object that may be taken apart and made again of its parts.
bool is_record(const Object& object) {
  return std::visit(Overloaded{
                        [](const TupleObject&) { return true; },
                        [](const ListObject&) { return true; },
                        [](const DictObject&) { return true; },
                        [](const InstanceObject& instance) {
                          return !instance.live.is_valid() && instance.forgotten.empty() &&
                                 !instance.unordered && !instance.attributes.contains(kDict);
                        },
                        [](const auto&) { return false; },
                    },
                    object);
}

std::vector<AbstractValue> parts_of(const State& state, const AbstractValue& record) {
  std::vector<AbstractValue> parts;
  if (const nb::object* live = record.constant()) return live_elements(*live);
  for_each_child(state.heap.at(*record.object()), [&](const AbstractValue& part) { parts.push_back(part); });
  return parts;
}

// Whether two records have the same parts but for their values.
bool are_alike(const Object& one, const Object& other) {
  if (one.index() != other.index()) return false;
  return std::visit(
      Overloaded{
          [&](const TupleObject& tuple) { return tuple.type.is(std::get<TupleObject>(other).type); },
          [&](const DictObject& dict) {
            const auto& second = std::get<DictObject>(other);
            return dict.type.is(second.type) &&
                   std::ranges::equal(dict.entries, second.entries, [](const auto& left, const auto& right) {
                     return same_key(left.first, right.first);
                   });
          },
          [&](const InstanceObject& instance) {
            const auto& second = std::get<InstanceObject>(other);
            return instance.type.is(second.type) &&
                   std::ranges::equal(
                       instance.attributes, second.attributes,
                       [](const auto& left, const auto& right) { return left.first == right.first; });
          },
          [](const auto&) { return true; },
      },
      one);
}

std::optional<ElementType> tensor_or_number(Machine& machine, const State& state, const AbstractValue& item) {
  if (const auto kind = number_kind(item)) {
    if (item.scalar() == nullptr && !known_scalar(item)) return std::nullopt;
    ElementType number;
    number.type = ScalarType{*kind};
    number.kind = *kind;
    return number;
  }
  ElementType made;
  if (const auto* tensor = state.heap.get<TensorObject>(item))
    made.spec = tensor->spec;
  else if (item.constant() != nullptr && machine.torch.is_tensor(*item.constant()))
    made.spec = machine.torch.spec_of(*item.constant());
  if (made.spec == nullptr) return std::nullopt;
  made.type = made.spec->type;
  return made;
}

std::optional<ElementType> type_of_part(Machine& machine, const State& state, const AbstractValue& part,
                                        int depth);

std::optional<ElementType> type_of_record(Machine& machine, const State& state, const AbstractValue& item,
                                          Object record, int depth) {
  if (depth > kDeepestRecord) return std::nullopt;
  ElementType made;
  for (const AbstractValue& part : parts_of(state, item)) {
    auto type = type_of_part(machine, state, part, depth + 1);
    if (!type) return std::nullopt;
    made.parts.push_back(std::move(*type));
  }
  made.record = std::make_shared<const Object>(std::move(record));
  return made;
}

std::optional<ElementType> type_of_record(Machine& machine, const State& state, const AbstractValue& item,
                                          int depth) {
  if (const ObjectRef* ref = item.object()) {
    const Object& object = state.heap.at(*ref);
    return is_record(object) ? type_of_record(machine, state, item, object, depth) : std::nullopt;
  }
  const nb::object* live = item.constant();
  if (live == nullptr || !PyTuple_CheckExact(live->ptr())) return std::nullopt;
  const TupleObject tuple{std::vector<AbstractValue>(nb::len(*live)), builtin(PyTuple_Type)};
  return type_of_record(machine, state, item, tuple, depth);
}

std::optional<ElementType> type_of_part(Machine& machine, const State& state, const AbstractValue& part,
                                        int depth) {
  const AbstractValue now = current(state, part);
  if (auto plain = tensor_or_number(machine, state, now)) return plain;
  if (auto record = type_of_record(machine, state, now, depth)) return record;
  if (now.bound() && now.constant() == nullptr) return std::nullopt;
  ElementType same;
  same.same = now;
  return same;
}

bool is_same_known(const AbstractValue& left, const AbstractValue& right) {
  if (!left.bound() || !right.bound()) return left.bound() == right.bound();
  return same_static(*left.constant(), *right.constant());
}

bool is_same_type(const ElementType& left, const ElementType& right) {
  if (left.same || right.same) return left.same && right.same && is_same_known(*left.same, *right.same);
  if (left.record == nullptr || right.record == nullptr)
    return left.record == right.record && left.type == right.type;
  return are_alike(*left.record, *right.record) && std::ranges::equal(left.parts, right.parts, is_same_type);
}

void add_columns(const ElementType& type, std::vector<Type>& columns) {
  if (type.record == nullptr && !type.same) columns.push_back(type.type);
  for (const ElementType& part : type.parts) add_columns(part, columns);
}

// Counts `column` down; the part where it was 0.
std::optional<AbstractValue> find_column(const State& state, const ElementType& type,
                                         const AbstractValue& item, std::size_t& column) {
  if (type.same) return std::nullopt;
  const AbstractValue now = current(state, item);
  if (type.record == nullptr) return column-- == 0 ? std::optional(now) : std::nullopt;
  const std::vector<AbstractValue> parts = parts_of(state, now);
  for (std::size_t index = 0; index < parts.size(); ++index)
    if (auto found = find_column(state, type.parts[index], parts[index], column)) return found;
  return std::nullopt;
}

}  // namespace

std::optional<ElementType> element_type(Machine& machine, const State& state, const AbstractValue& item) {
  const AbstractValue now = current(state, item);
  if (auto plain = tensor_or_number(machine, state, now)) return plain;
  auto record = type_of_record(machine, state, now, 0);
  return record && !column_types(*record).empty() ? std::move(record) : std::nullopt;
}

bool add_to_common(Machine& machine, const State& state, std::span<const AbstractValue> items,
                   std::optional<ElementType>& common) {
  for (const AbstractValue& item : items) {
    auto type = element_type(machine, state, item);
    if (!type || (common && !is_same_type(*type, *common))) return false;
    if (!common) common = std::move(type);
  }
  return true;
}

std::vector<Type> column_types(const ElementType& type) {
  std::vector<Type> columns;
  add_columns(type, columns);
  return columns;
}

AbstractValue part_in_column(const State& state, const ElementType& type, const AbstractValue& item,
                             std::size_t column) {
  return find_column(state, type, item, column).value();
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

std::optional<std::size_t> number_of_given_tensor(const Machine& machine, const State& state,
                                                  ObjectRef tensor) {
  for (const auto& [number, input] : state.ports)
    if (input == tensor && number < machine.inputs.numbers.size()) return machine.inputs.numbers[number];
  return std::nullopt;
}

bool holds_given(const Machine& machine, const State& state, const AbstractValue& item) {
  if (state.containers.empty()) return false;
  const AbstractValue now = current(state, item);
  if (const nb::object* live = now.constant())
    return !is_atom(*live) && machine.ownership.callers_objects.contains(*live);
  const ObjectRef* ref = now.object();
  if (ref == nullptr) return false;
  if (is_of_caller(state, *ref)) return true;
  if (const auto* tensor = state.heap.get<TensorObject>(now))
    return tensor->identity != nullptr || number_of_given_tensor(machine, state, *ref);
  bool found = false;
  for_each_child(state.heap.at(*ref),
                 [&](const AbstractValue& part) { found = found || holds_given(machine, state, part); });
  return found;
}

AbstractValue any_element(State& state, const ElementType& type) {
  if (type.same) return *type.same;
  if (type.record != nullptr) {
    std::vector<AbstractValue> parts;
    for (const ElementType& part : type.parts) parts.push_back(any_element(state, part));
    Object record = *type.record;
    replace_children(record, std::move(parts));
    return state.heap.add(std::move(record));
  }
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
