// SPDX-License-Identifier: Apache-2.0
// Lists whose length or order depends on the path: values of the HCFG's type seq.
#include "partial_eval/language/sequences.h"

#include "partial_eval/data/elements.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/sizes.h"
#include "partial_eval/data/unwritten.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/iteration.h"
#include "partial_eval/torch/leaf.h"
#include "partial_eval/torch/read_tensor.h"
#include "partial_eval/values/handlers.h"

namespace dycl::partial_eval {
namespace {

const Type& element_type(const Machine& machine, const SequenceObject& sequence) {
  return *machine.emitter.graph.type_of(sequence.value).seq()->element;
}

// An element that was read. Writing to it would have to be seen through the list: `escaped` says so.
AbstractValue element_value(Machine& machine, State& state, const SequenceObject& sequence, ValueId value) {
  if (!sequence.element.bound()) refuse_sequence(machine, state, sequence, "an element of it is read");
  if (const auto* tensor = state.heap.get<TensorObject>(sequence.element)) {
    TensorObject element = *tensor;
    element.value = value;
    element.escaped = true;
    element.storage = fresh_storage();
    element.identity = united(element.identity, sequence.origins);
    return state.make(std::move(element));
  }
  return ScalarValue{value, element_type(machine, sequence).scalar()->kind, sequence.origins};
}

// The value to store, when it is of the elements' type.
std::optional<ValueId> stored_value(Machine& machine, State& state, const SequenceObject& sequence,
                                    const AbstractValue& value) {
  if (!sequence.element.bound()) {
    if (!is_plain_constant(value)) return std::nullopt;
    return scalar_id(machine, state, known_int(machine.constants.place_of(*value.constant())));
  }
  const Type& wanted = element_type(machine, sequence);
  if (const auto* tensor = state.heap.get<TensorObject>(value)) {
    refuse_unwritten(machine, state, *tensor, "a list whose length depends on the path");
    if (machine.emitter.graph.type_of(tensor->value) == wanted) return tensor->value;
    return std::nullopt;
  }
  const auto kind = number_kind(value);
  if (!kind || wanted.scalar() == nullptr || wanted.scalar()->kind != *kind) return std::nullopt;
  return scalar_id(machine, state, value);
}

// A constant of another type joins numbers that may all be constants, too.
void restart_as_constants(const Machine& machine, const SequenceObject& sequence,
                          const AbstractValue& value) {
  const bool possible =
      sequence.element.scalar() != nullptr && sequence.origins != nullptr && is_plain_constant(value);
  if (possible && !machine.marks.all_mixed(*sequence.origins))
    throw Restart{.origins = {}, .mixed_lists = *sequence.origins};
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

void replace_value(Machine& machine, State& state, ObjectRef self, HostOp op, std::vector<ValueId> inputs) {
  const Type type = machine.emitter.graph.type_of(inputs[0]);
  const ValueId changed =
      machine.emitter.host(state, op, std::move(inputs), type, "list", {}, machine.source(state));
  auto& sequence = state.heap.edit_as<SequenceObject>(self);
  sequence.shortest = fewest(state, sequence);
  sequence.value = changed;
  if (op == HostOp::SeqInsert) ++sequence.shortest;
  if (op == HostOp::SeqErase && sequence.shortest > 0) --sequence.shortest;
}

std::optional<Outcome> append(Machine& machine, State& state, ObjectRef self, const AbstractValue& value) {
  const SequenceObject sequence = *state.heap.get<SequenceObject>(self);
  const auto stored = stored_value(machine, state, sequence, value);
  if (!stored) {
    restart_as_constants(machine, sequence, value);
    const bool of_constants = !sequence.element.bound();  // a number that was one, too
    if (of_constants && value.scalar() != nullptr) restart_if_given_up(value.scalar()->origins);
    return std::nullopt;
  }
  replace_value(machine, state, self, HostOp::SeqInsert, {sequence.value, *stored});
  if (const auto* tensor = state.heap.get<TensorObject>(value)) let_escape(state, StorageId(tensor->storage));
  return known_none();
}

std::optional<Outcome> extend(Machine& machine, State& state, ObjectRef self, const AbstractValue& iterable) {
  const auto elements = elements_of(machine, state, iterable);
  if (!elements) return call_prelude(machine, state, "extend_list", Arguments{{self, iterable}, {}});
  for (const AbstractValue& element : *elements)
    if (!append(machine, state, self, element)) return std::nullopt;
  return known_none();
}

std::optional<Outcome> pop(Machine& machine, State& state, ObjectRef self, const Arguments& arguments) {
  const SequenceObject sequence = *state.heap.get<SequenceObject>(self);
  if (may_be_caught(state)) return std::nullopt;  // an IndexError would have to be a jump
  const AbstractValue index = arguments.positional.empty() ? known_int(-1) : arguments.positional[0];
  if (number_kind(index) != ScalarKind::I64) return std::nullopt;
  Outcome element = sequence_at(machine, state, sequence, index);
  std::vector<ValueId> inputs{sequence.value};
  if (!arguments.positional.empty()) inputs.push_back(scalar_id(machine, state, index));
  replace_value(machine, state, self, HostOp::SeqErase, std::move(inputs));
  return element;
}

}  // namespace

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
void check_range(Machine& machine, State& state, const SequenceObject& sequence, const AbstractValue& index) {
  if (is_within(state, sequence, index)) return;
  const AbstractValue length = std::get<AbstractValue>(sequence_length(machine, state, sequence));
  const AbstractValue lowest = host_number(machine, state, HostOp::Neg, {length}, ScalarKind::I64);
  const AbstractValue below = host_number(machine, state, HostOp::Lt, {index, lowest}, ScalarKind::Bool);
  const AbstractValue above = host_number(machine, state, HostOp::Ge, {index, length}, ScalarKind::Bool);
  const AbstractValue outside = host_number(machine, state, HostOp::Or, {below, above}, ScalarKind::Bool);
  machine.emitter.check_now(state, outside.scalar()->id, "IndexError",
                            sequence.is_tuple ? "tuple index out of range" : "list index out of range",
                            machine.source(state));
}

AbstractValue sequence_element(Machine& machine, State& state, const SequenceObject& sequence,
                               const AbstractValue& index) {
  const ValueId element =
      machine.emitter.host(state, HostOp::SeqAt, {sequence.value, scalar_id(machine, state, index)},
                           element_type(machine, sequence), "element", {}, machine.source(state));
  return element_value(machine, state, sequence, element);
}

Outcome sequence_at(Machine& machine, State& state, const SequenceObject& sequence,
                    const AbstractValue& key) {
  if (!sequence.element.bound()) refuse_sequence(machine, state, sequence, "an element of it is read");
  AbstractValue index = key;
  if (const auto scalar = dynamic_index(machine, state, key)) index = *scalar;
  if (const auto number = known_index(key)) index = known_int(*number);
  if (number_kind(index) != ScalarKind::I64)
    refuse_sequence(machine, state, sequence, "a part of it is taken");
  if (may_be_caught(state)) refuse_sequence(machine, state, sequence, "an IndexError of it may be caught");
  check_range(machine, state, sequence, index);
  return sequence_element(machine, state, sequence, index);
}

std::optional<Outcome> extended_tuple(Machine& machine, State& state, const SequenceObject& tuple,
                                      const std::vector<AbstractValue>& more) {
  const AbstractValue made = state.make(SequenceObject(tuple));
  for (const AbstractValue& element : more)
    if (!append(machine, state, *made.object(), element)) return std::nullopt;
  return made;
}

std::optional<Outcome> sequence_method(Machine& machine, State& state, ObjectRef self,
                                       const std::string& name, Arguments& arguments) {
  const SequenceObject sequence = *state.heap.get<SequenceObject>(self);
  const std::size_t count = arguments.positional.size();
  std::optional<Outcome> result;
  if (sequence.is_tuple && name != "__len__" && name != "__getitem__")
    refuse_sequence(machine, state, sequence, "its method " + name + "() is called");
  if (name == "append" && count == 1) result = append(machine, state, self, arguments.positional[0]);
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
