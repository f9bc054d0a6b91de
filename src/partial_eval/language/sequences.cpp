// SPDX-License-Identifier: Apache-2.0
// Lists whose length or order depends on the path: values of the HCFG's type seq.
#include "partial_eval/language/sequences.h"

#include <array>

#include "partial_eval/data/numbers.h"
#include "partial_eval/data/sizes.h"
#include "partial_eval/data/unwritten.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/iteration.h"
#include "partial_eval/torch/leaf.h"
#include "partial_eval/torch/read_tensor.h"
#include "partial_eval/torch/tensor_writes.h"
#include "partial_eval/values/handlers.h"

namespace dycl::partial_eval {
namespace {

class Filling {
 public:
  Filling(State& state, const SequenceObject& sequence, std::span<const ValueId> values)
      : state_(state), sequence_(sequence), values_(values) {}

  AbstractValue of(const AbstractValue& part) {
    if (const ScalarValue* number = part.scalar())
      return ScalarValue{values_[next_++], number->kind, sequence_.origins};
    const ObjectRef* ref = part.object();
    if (ref == nullptr) return part;
    if (const auto* tensor = state_.heap.get<TensorObject>(part)) return filled_tensor(*tensor);
    Object record = state_.heap.at(*ref);
    std::vector<AbstractValue> parts;
    for_each_child(state_.heap.at(*ref), [&](const AbstractValue& child) { parts.push_back(child); });
    for (AbstractValue& child : parts) child = of(child);
    replace_children(record, std::move(parts));
    const ObjectRef made = state_.heap.add(std::move(record));
    state_.heap.freeze(made, sequence_.origins);
    return made;
  }

 private:
  AbstractValue filled_tensor(TensorObject element) {
    element.value = values_[next_++];
    element.escaped = true;
    element.storage = fresh_storage();
    element.identity = united(element.identity, sequence_.origins);
    return state_.make(std::move(element));
  }

  State& state_;
  const SequenceObject& sequence_;
  std::span<const ValueId> values_;
  std::size_t next_ = 0;
};

const Type& type_in(const Machine& machine, ValueId column) {
  return *machine.emitter.graph.type_of(column).seq()->element;
}

// The values to store, one for each column, when the value is of the elements' type.
std::optional<std::vector<ValueId>> stored_values(Machine& machine, State& state,
                                                  const SequenceObject& sequence,
                                                  const AbstractValue& value) {
  if (!sequence.element.bound()) {
    if (!is_plain_constant(value)) return std::nullopt;
    return std::vector{scalar_id(machine, state, known_int(machine.constants.place_of(*value.constant())))};
  }
  std::optional<ElementType> type;
  if (!add_to_common(machine, state, std::array{sequence.element, value}, type)) return std::nullopt;
  const std::vector<ValueId> columns = sequence.columns();
  std::vector<ValueId> stored;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const AbstractValue part = part_in_column(state, *type, value, column);
    const auto* tensor = state.heap.get<TensorObject>(part);
    if (tensor != nullptr &&
        machine.emitter.graph.type_of(tensor->value) != type_in(machine, columns[column]))
      return std::nullopt;
    stored.push_back(item_id(machine, state, part));
  }
  return stored;
}

// A constant of another type joins numbers that may all be constants, too.
void restart_as_constants(const Machine& machine, const SequenceObject& sequence,
                          const AbstractValue& value) {
  const bool possible =
      sequence.element.scalar() != nullptr && sequence.origins != nullptr && is_plain_constant(value);
  if (possible && !machine.marks.all_mixed(*sequence.origins))
    throw Restart{.origins = {}, .mixed_lists = *sequence.origins};
}

std::vector<ValueId> columns_of(Machine& machine, State& state, const std::vector<AbstractValue>& items,
                                const ElementType& type) {
  const std::vector<Type> types = column_types(type);
  std::vector<ValueId> columns;
  for (std::size_t column = 0; column < types.size(); ++column) {
    std::vector<ValueId> ids;
    for (const AbstractValue& item : items)
      ids.push_back(item_id(machine, state, part_in_column(state, type, item, column)));
    columns.push_back(list_of(machine, state, std::move(ids), seq_of(types[column])));
  }
  return columns;
}

// How many elements it has at least: a path that has measured it may know more.
std::size_t fewest(const State& state, const SequenceObject& sequence) {
  const auto length = state.lengths.find(sequence.value);
  if (length == state.lengths.end()) return sequence.shortest;
  const auto size = size_of(state, ScalarValue{length->second, ScalarKind::I64, nullptr});
  if (!size) return sequence.shortest;
  const std::int64_t smallest = size->is_known() ? size->constant() : range_of(*size).smallest;
  return std::max(sequence.shortest, static_cast<std::size_t>(std::max<std::int64_t>(smallest, 0)));
}

// Inserts an element, or erases one (`values` are empty): at a position, or at the end.
void change(Machine& machine, State& state, ObjectRef self, HostOp op, const std::vector<ValueId>& values,
            const std::optional<AbstractValue>& position) {
  std::vector<ValueId> changed;
  for (const ValueId column : state.heap.get<SequenceObject>(self)->columns()) {
    std::vector<ValueId> inputs{column};
    if (!values.empty()) inputs.push_back(values[changed.size()]);
    if (position) inputs.push_back(scalar_id(machine, state, *position));
    const Type type = machine.emitter.graph.type_of(column);
    changed.push_back(
        machine.emitter.host(state, op, std::move(inputs), type, "list", {}, machine.source(state)));
  }
  auto& sequence = state.heap.edit_as<SequenceObject>(self);
  sequence.shortest = fewest(state, sequence);
  sequence.set_columns(std::move(changed));
  if (op == HostOp::SeqInsert) ++sequence.shortest;
  if (op == HostOp::SeqErase && sequence.shortest > 0) --sequence.shortest;
}

// At a position from 0 to the length, or at the end.
std::optional<Outcome> insert_at(Machine& machine, State& state, ObjectRef self, const AbstractValue& value,
                                 const std::optional<AbstractValue>& position = std::nullopt) {
  const SequenceObject sequence = *state.heap.get<SequenceObject>(self);
  const auto stored = stored_values(machine, state, sequence, value);
  if (!stored) {
    restart_as_constants(machine, sequence, value);
    const bool of_constants = !sequence.element.bound();  // a number that was one, too
    if (of_constants && value.scalar() != nullptr) restart_if_given_up(value.scalar()->origins);
    return std::nullopt;
  }
  change(machine, state, self, HostOp::SeqInsert, *stored, position);
  if (holds_given(machine, state, value)) state.heap.edit_as<SequenceObject>(self).holds_given = true;
  put_into_list(machine, state, value, sequence.origins);
  return known_none();
}

// list.insert() takes every position: those beyond an end are that end.
std::optional<Outcome> insert(Machine& machine, State& state, ObjectRef self, const Arguments& arguments) {
  const AbstractValue& given = arguments.positional[0];
  if (number_kind(given) != ScalarKind::I64) return std::nullopt;
  const SequenceObject sequence = *state.heap.get<SequenceObject>(self);
  const AbstractValue length = std::get<AbstractValue>(sequence_length(machine, state, sequence));
  const auto number = [&](HostOp op, std::initializer_list<AbstractValue> operands, ScalarKind kind) {
    return host_number(machine, state, op, operands, kind);
  };
  AbstractValue place = given;
  if (known_index(given) != 0) {
    const AbstractValue beyond = number(HostOp::Gt, {given, length}, ScalarKind::Bool);
    const AbstractValue inside = number(HostOp::Select, {beyond, length, given}, ScalarKind::I64);
    const AbstractValue negative = number(HostOp::Lt, {inside, known_int(0)}, ScalarKind::Bool);
    const AbstractValue below = number(HostOp::Select, {negative, inside, known_int(0)}, ScalarKind::I64);
    const AbstractValue moved = number(HostOp::Add, {below, length}, ScalarKind::I64);
    const AbstractValue before = number(HostOp::Lt, {moved, known_int(0)}, ScalarKind::Bool);
    const AbstractValue first = number(HostOp::Select, {before, known_int(0), moved}, ScalarKind::I64);
    place = number(HostOp::Select, {negative, first, inside}, ScalarKind::I64);
  }
  return insert_at(machine, state, self, arguments.positional[1], place);
}

std::optional<Outcome> extend(Machine& machine, State& state, ObjectRef self, const AbstractValue& iterable) {
  const auto elements = elements_of(machine, state, iterable);
  if (!elements) return call_prelude(machine, state, "extend_list", Arguments{{self, iterable}, {}});
  for (const AbstractValue& element : *elements)
    if (!insert_at(machine, state, self, element)) return std::nullopt;
  return known_none();
}

std::optional<Outcome> pop(Machine& machine, State& state, ObjectRef self, const Arguments& arguments) {
  const SequenceObject sequence = *state.heap.get<SequenceObject>(self);
  if (may_be_caught(state)) return std::nullopt;  // an IndexError would have to be a jump
  const AbstractValue index = arguments.positional.empty() ? known_int(-1) : arguments.positional[0];
  if (number_kind(index) != ScalarKind::I64) return std::nullopt;
  Outcome element = sequence_at(machine, state, sequence, index);
  change(machine, state, self, HostOp::SeqErase, {},
         arguments.positional.empty() ? std::nullopt : std::optional(index));
  return element;
}

}  // namespace

AbstractValue element_with(State& state, const SequenceObject& sequence, std::span<const ValueId> values) {
  return Filling(state, sequence, values).of(sequence.element);
}

void put_into_list(const Machine& machine, State& state, const AbstractValue& item, const Origins& origins) {
  const AbstractValue now = current(state, item);
  if (const nb::object* live = now.constant()) return note_shared(machine, state, *live);
  const ObjectRef* ref = now.object();
  if (ref == nullptr) return;
  if (const auto* tensor = state.heap.get<TensorObject>(now))
    return let_escape(state, StorageId(tensor->storage));
  if (state.heap.is_frozen(*ref)) return;
  state.heap.freeze(*ref, origins);
  std::vector<AbstractValue> parts;
  for_each_child(state.heap.at(*ref), [&](const AbstractValue& part) { parts.push_back(part); });
  for (const AbstractValue& part : parts) put_into_list(machine, state, part, origins);
}

SequenceObject sequence_of(Machine& machine, State& state, const std::vector<AbstractValue>& items,
                           const Origins& origins) {
  const ElementType type = *element_type(machine, state, items.front());
  SequenceObject sequence;
  sequence.set_columns(columns_of(machine, state, items, type));
  for (const AbstractValue& item : items) {
    sequence.holds_given = sequence.holds_given || holds_given(machine, state, item);
    put_into_list(machine, state, item, origins);
  }
  sequence.origins = origins;
  sequence.shortest = items.size();
  sequence.element = any_element(state, type);
  return sequence;
}

void refuse_frozen(Machine& machine, const State& state, const Origins& origins, std::string code,
                   std::string message, std::string hint) {
  if (!machine.marks.from_cycle(origins)) restart_if_given_up(origins);
  machine.refuse(state, std::move(code), std::move(message), std::move(hint));
}

void refuse_sequence(Machine& machine, const State& state, const SequenceObject& sequence,
                     const std::string& use) {
  restart_if_given_up(sequence.origins);
  machine.refuse(state, "python.dynamic_list", "the length of a list depends on the path, and " + use,
                 "append the same number of elements on every path, or use the list only to append, index, "
                 "take its len() and return it");
}

Outcome sequence_length(Machine& machine, State& state, const SequenceObject& sequence) {
  const auto [length, is_new] = state.lengths.try_emplace(sequence.value);
  if (is_new) {
    length->second = machine.emitter.host(state, HostOp::SeqLen, {sequence.value},
                                          ScalarType{ScalarKind::I64}, "length", {}, machine.source(state));
    note_size(machine, state, length->second, sequence.shortest);
  }
  return ScalarValue{length->second, ScalarKind::I64, sequence.origins};
}

// However long the list is.
bool is_within(const State& state, const SequenceObject& sequence, const AbstractValue& index) {
  const auto number = known_index(index);
  const auto shortest = static_cast<std::int64_t>(fewest(state, sequence));
  return number && -shortest <= *number && *number < shortest;
}

// Python's words for an index out of range; the operation itself knows only its own.
void check_range(Machine& machine, State& state, const SequenceObject& sequence, const AbstractValue& index,
                 const std::string& message) {
  if (is_within(state, sequence, index)) return;
  const AbstractValue length = std::get<AbstractValue>(sequence_length(machine, state, sequence));
  const AbstractValue lowest = host_number(machine, state, HostOp::Neg, {length}, ScalarKind::I64);
  const AbstractValue below = host_number(machine, state, HostOp::Lt, {index, lowest}, ScalarKind::Bool);
  const AbstractValue above = host_number(machine, state, HostOp::Ge, {index, length}, ScalarKind::Bool);
  const AbstractValue outside = host_number(machine, state, HostOp::Or, {below, above}, ScalarKind::Bool);
  machine.emitter.check_now(state, outside.scalar()->id, "IndexError", message, machine.source(state));
}

// The place that an index names, which is checked; counted from the front where `from_front`.
AbstractValue place_of_index(Machine& machine, State& state, const SequenceObject& sequence,
                             const AbstractValue& key, const std::string& message, bool from_front) {
  AbstractValue index = key;
  if (const auto scalar = dynamic_index(machine, state, key)) index = *scalar;
  if (const auto number = known_index(key)) index = known_int(*number);
  if (number_kind(index) != ScalarKind::I64)
    refuse_sequence(machine, state, sequence, "a part of it is taken");
  if (may_be_caught(state)) refuse_sequence(machine, state, sequence, "an IndexError of it may be caught");
  check_range(machine, state, sequence, index, message);
  if (!from_front || known_index(index) >= 0) return index;
  const AbstractValue length = std::get<AbstractValue>(sequence_length(machine, state, sequence));
  const AbstractValue negative =
      host_number(machine, state, HostOp::Lt, {index, known_int(0)}, ScalarKind::Bool);
  const AbstractValue added =
      host_number(machine, state, HostOp::Select, {negative, length, known_int(0)}, ScalarKind::I64);
  return host_number(machine, state, HostOp::Add, {index, added}, ScalarKind::I64);
}

AbstractValue sequence_element(Machine& machine, State& state, const SequenceObject& sequence,
                               const AbstractValue& index) {
  if (!sequence.element.bound()) refuse_sequence(machine, state, sequence, "an element of it is read");
  std::vector<ValueId> parts;
  for (const ValueId column : sequence.columns())
    parts.push_back(machine.emitter.host(state, HostOp::SeqAt, {column, scalar_id(machine, state, index)},
                                         type_in(machine, column), "element", {}, machine.source(state)));
  return element_with(state, sequence, parts);
}

Outcome sequence_at(Machine& machine, State& state, const SequenceObject& sequence,
                    const AbstractValue& key) {
  if (!sequence.element.bound()) refuse_sequence(machine, state, sequence, "an element of it is read");
  const char* message = sequence.is_tuple ? "tuple index out of range" : "list index out of range";
  const AbstractValue index = place_of_index(machine, state, sequence, key, message, false);
  return sequence_element(machine, state, sequence, index);
}

constexpr const char* kOutside = "list assignment index out of range";

Outcome set_sequence_item(Machine& machine, State& state, ObjectRef self, const AbstractValue& index,
                          const AbstractValue& value) {
  const SequenceObject sequence = *state.heap.get<SequenceObject>(self);
  const AbstractValue place = place_of_index(machine, state, sequence, index, kOutside, true);
  if (!stored_values(machine, state, sequence, value))
    refuse_sequence(machine, state, sequence, "an element of another type is put into it");
  change(machine, state, self, HostOp::SeqErase, {}, place);
  return *insert_at(machine, state, self, value, place);
}

Outcome delete_sequence_item(Machine& machine, State& state, ObjectRef self, const AbstractValue& index) {
  const SequenceObject sequence = *state.heap.get<SequenceObject>(self);
  const AbstractValue place = place_of_index(machine, state, sequence, index, kOutside, true);
  change(machine, state, self, HostOp::SeqErase, {}, place);
  return known_none();
}

std::optional<Outcome> extended_tuple(Machine& machine, State& state, const SequenceObject& tuple,
                                      const std::vector<AbstractValue>& more) {
  const AbstractValue made = state.make(SequenceObject(tuple));
  for (const AbstractValue& element : more)
    if (!insert_at(machine, state, *made.object(), element)) return std::nullopt;
  return made;
}

std::optional<Outcome> sequence_method(Machine& machine, State& state, ObjectRef self,
                                       const std::string& name, Arguments& arguments) {
  const SequenceObject sequence = *state.heap.get<SequenceObject>(self);
  const std::size_t count = arguments.positional.size();
  std::optional<Outcome> result;
  if (sequence.is_tuple && name != "__len__" && name != "__getitem__")
    refuse_sequence(machine, state, sequence, "its method " + name + "() is called");
  if (name == "append" && count == 1) result = insert_at(machine, state, self, arguments.positional[0]);
  if (name == "insert" && count == 2) result = insert(machine, state, self, arguments);
  if (name == "extend" && count == 1) result = extend(machine, state, self, arguments.positional[0]);
  if (name == "pop" && count <= 1) result = pop(machine, state, self, arguments);
  if (name == "copy" && count == 0) result = state.make(sequence);
  if (name == "clear" && count == 0) {
    state.heap.edit(self) = ListObject{};
    result = known_none();
  }
  if (name == "__len__") result = sequence_length(machine, state, sequence);
  if (name == "__getitem__" && count == 1)
    result = sequence_at(machine, state, sequence, arguments.positional[0]);
  if (!result) refuse_sequence(machine, state, sequence, "its method " + name + "() is called so");
  return result;
}

}  // namespace dycl::partial_eval
