// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/list_items.h"

#include <algorithm>

#include "partial_eval/data/containers.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/structures.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/instantiate.h"
#include "partial_eval/language/iteration.h"
#include "partial_eval/language/sequences.h"
#include "partial_eval/torch/read_tensor.h"
#include "partial_eval/values/handlers.h"
#include "partial_eval/values/live_object.h"
#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {
namespace {

struct SliceRange {
  Py_ssize_t start = 0;
  Py_ssize_t stop = 0;
  Py_ssize_t step = 1;
  Py_ssize_t count = 0;
};

bool is_slice(const State& state, const AbstractValue& key) {
  return state.heap.get<SliceObject>(key) != nullptr ||
         (key.constant() != nullptr && PySlice_Check(key.constant()->ptr()));
}

SliceRange slice_range(Machine& machine, State& state, const AbstractValue& key, std::size_t size) {
  const nb::object slice = machine.need(state, key, "a slice of a list or tuple");
  SliceRange range;
  if (PySlice_Unpack(slice.ptr(), &range.start, &range.stop, &range.step) < 0) throw nb::python_error();
  range.count = PySlice_AdjustIndices(static_cast<Py_ssize_t>(size), &range.start, &range.stop, range.step);
  return range;
}

std::size_t length_of(const State& state, const AbstractValue& sequence) {
  if (const auto* list = state.heap.get<ListObject>(sequence)) return list->items.size();
  if (const auto* tuple = state.heap.get<TupleObject>(sequence)) return tuple->items.size();
  return nb::len(*sequence.constant());
}

bool is_a_list(const State& state, const AbstractValue& sequence) { return is_list(state, sequence); }

AbstractValue element_at(const State& state, const AbstractValue& sequence, std::size_t index) {
  if (const auto* list = state.heap.get<ListObject>(sequence)) return current(state, list->items[index]);
  if (const auto* tuple = state.heap.get<TupleObject>(sequence)) return current(state, tuple->items[index]);
  return current(state, known(nb::object((*sequence.constant())[index])));
}

std::string kind_of_sequence(const State& state, const AbstractValue& sequence) {
  return is_a_list(state, sequence) ? "list" : "tuple";
}

// The position that a known index names, or an IndexError.
std::size_t position_of(std::int64_t index, std::size_t size, const std::string& message) {
  const auto count = static_cast<std::int64_t>(size);
  if (index < 0) index += count;
  if (index < 0 || index >= count) throw_python(PyExc_IndexError, message);
  return static_cast<std::size_t>(index);
}

Raised not_an_index(Machine& machine, const State& state, const AbstractValue& sequence,
                    const AbstractValue& key) {
  return machine.raise(PyExc_TypeError, kind_of_sequence(state, sequence) +
                                            " indices must be integers or slices, not " +
                                            type_name(machine, state, key));
}

Outcome sliced(Machine& machine, State& state, const AbstractValue& sequence, const AbstractValue& key) {
  if (const auto* slice = state.heap.get<SliceObject>(key);
      slice != nullptr && is_a_list(state, sequence) && !machine.reify(state, key))
    return call_prelude(machine, state, "slice_sequence",
                        Arguments{{sequence, slice->start, slice->stop, slice->step}, {}});
  const std::vector<AbstractValue> all = list_items(state, sequence);
  const SliceRange range = slice_range(machine, state, key, all.size());
  std::vector<AbstractValue> chosen;
  for (Py_ssize_t n = 0; n < range.count; ++n)
    chosen.push_back(all[static_cast<std::size_t>(range.start + n * range.step)]);
  if (is_a_list(state, sequence)) return new_list(state, std::move(chosen));
  if (is_torch_size(state, sequence)) return make_size(machine, state, std::move(chosen));
  return new_tuple(machine, state, std::move(chosen));
}

Outcome set_slice(Machine& machine, State& state, const AbstractValue& list, const AbstractValue& key,
                  const AbstractValue& value) {
  if (const auto* sequence = state.heap.get<SequenceObject>(current(state, value))) {
    const SequenceObject given = *sequence;
    const bool is_whole =
        key.constant() != nullptr && key.constant()->equal(nb::slice(nb::none(), nb::none(), nb::none()));
    if (!is_whole) refuse_sequence(machine, state, given, "it replaces a part of another");
    state.heap.edit(writable(machine, state, list)) = given;
    return known_none();
  }
  auto elements = elements_of(machine, state, value);
  if (!elements) return call_prelude(machine, state, "set_slice", Arguments{{list, key, value}, {}});
  const ObjectRef ref = writable(machine, state, list);
  std::vector<AbstractValue> items = list_items(state, ref);
  const SliceRange range = slice_range(machine, state, key, items.size());
  if (range.step == 1) {
    const auto first = items.begin() + range.start;
    const auto last = first + std::max<Py_ssize_t>(range.stop - range.start, 0);
    items.insert(items.erase(first, last), elements->begin(), elements->end());
  } else {
    if (static_cast<Py_ssize_t>(elements->size()) != range.count)
      return machine.raise(PyExc_ValueError, "attempt to assign sequence of size " +
                                                 std::to_string(elements->size()) +
                                                 " to extended slice of size " + std::to_string(range.count));
    for (Py_ssize_t n = 0; n < range.count; ++n)
      items[static_cast<std::size_t>(range.start + n * range.step)] =
          (*elements)[static_cast<std::size_t>(n)];
  }
  state.heap.edit_as<ListObject>(ref).items = std::move(items);
  return known_none();
}

Outcome delete_slice(Machine& machine, State& state, const AbstractValue& list, const AbstractValue& key) {
  const ObjectRef ref = writable(machine, state, list);
  const std::vector<AbstractValue> items = list_items(state, ref);
  const SliceRange range = slice_range(machine, state, key, items.size());
  std::vector<bool> dropped(items.size(), false);
  for (Py_ssize_t n = 0; n < range.count; ++n)
    dropped[static_cast<std::size_t>(range.start + n * range.step)] = true;
  std::vector<AbstractValue> kept;
  for (std::size_t index = 0; index < items.size(); ++index)
    if (!dropped[index]) kept.push_back(items[index]);
  state.heap.edit_as<ListObject>(ref).items = std::move(kept);
  return known_none();
}

// An index that may be negative, counted from the front. Computed so that nothing can overflow.
ValueId counted_from_front(Machine& machine, State& state, const ScalarValue& index, std::size_t size) {
  const AbstractValue number = index;
  const AbstractValue negative =
      host_number(machine, state, HostOp::Lt, {number, known_int(0)}, ScalarKind::Bool);
  const AbstractValue below =
      host_number(machine, state, HostOp::Select, {negative, number, known_int(0)}, ScalarKind::I64);
  const AbstractValue moved = host_number(
      machine, state, HostOp::Add, {below, known_int(static_cast<std::int64_t>(size))}, ScalarKind::I64);
  const AbstractValue front =
      host_number(machine, state, HostOp::Select, {negative, moved, number}, ScalarKind::I64);
  return front.scalar()->id;
}

}  // namespace

Raised outside_of(Machine& machine, State& state, nb::handle live, const ScalarValue& index) {
  if (machine.torch.is_module(live)) {  // ModuleList, Sequential, ParameterList
    const AbstractValue message = state.make(TextObject{"index {} is out of range", {index}});
    Outcome made = instantiate(machine, state, nb::borrow(PyExc_IndexError), Arguments{{message}, {}});
    return Raised{std::get<AbstractValue>(made)};
  }
  const std::string name = PyUnicode_Check(live.ptr()) ? "string" : Py_TYPE(live.ptr())->tp_name;
  const std::string what = PyRange_Check(live.ptr())   ? "range object"
                           : PyTuple_Check(live.ptr()) ? "tuple"
                                                       : name;
  return machine.raise(PyExc_IndexError, what + " index out of range");
}

Outcome switch_over(Machine& machine, State& state, const ScalarValue& index, std::size_t cases,
                    const std::function<AbstractValue(State&, std::size_t)>& taken, const Raised& outside) {
  restart_if_given_up(index.origins);
  if (cases == 0) return outside;
  if (cases > machine.options.blocks_limit / 16)
    machine.refuse(state, "python.switch_limit",
                   "an index that depends on the input chooses among " + std::to_string(cases) + " elements",
                   "keep the elements in one tensor and index that");
  const SourceId source = machine.source(state);
  Switch choice;
  choice.index = counted_from_front(machine, state, index, cases);
  for (std::size_t number = 0; number < cases; ++number)
    choice.cases.push_back({machine.emitter.new_block(), {}});
  choice.fallback = {machine.emitter.new_block(), {}};
  const Switch targets = choice;
  machine.found.decisions.push_back(
      {machine.spans(state), "switch", "a switch over " + std::to_string(cases) + " elements"});
  machine.emitter.finish(state, std::move(choice), source);
  Forked forked;
  for (std::size_t number = 0; number < cases; ++number) {
    Forked::Child child{state, std::nullopt, std::nullopt};
    child.state.block = targets.cases[number].target;
    child.result = taken(child.state, number);
    forked.children.push_back(std::move(child));
  }
  Forked::Child beyond{state, std::nullopt, outside.exception};
  beyond.state.block = targets.fallback.target;
  forked.children.push_back(std::move(beyond));
  return forked;
}

Outcome indexed_by_scalar(Machine& machine, State& state, std::vector<AbstractValue> elements,
                          const ScalarValue& index, const Raised& outside) {
  return switch_over(
      machine, state, index, elements.size(),
      [&](State& child, std::size_t number) { return current(child, elements[number]); }, outside);
}

namespace {

// An element of which only the type is known: one operation in the place of a switch, where each case would
// know no more. Tensors can be written to behind a switch only, which is possible unless trips of a cycle
// choose.
bool may_be_one_operation(Machine& machine, const State& state, const std::vector<AbstractValue>& items,
                          const ScalarValue& index) {
  const bool in_cycle = machine.marks.from_cycle(index.origins);
  const bool are_numbers = std::ranges::all_of(
      items, [&](const AbstractValue& item) { return in_cycle || item.scalar() != nullptr; });
  std::optional<ElementType> type;
  return !items.empty() && are_numbers && !may_be_caught(state) && add_to_common(machine, state, items, type);
}

}  // namespace

Outcome sequence_item(Machine& machine, State& state, const AbstractValue& sequence,
                      const AbstractValue& key) {
  const std::string kind = kind_of_sequence(state, sequence);
  if (const auto index = known_index(key))
    return element_at(state, sequence,
                      position_of(*index, length_of(state, sequence), kind + " index out of range"));
  if (is_slice(state, key)) return sliced(machine, state, sequence, key);
  if (const auto index = dynamic_index(machine, state, key)) {
    const std::vector<AbstractValue> items = list_items(state, sequence);
    if (may_be_one_operation(machine, state, items, *index)) {
      SequenceObject made = sequence_of(machine, state, items, index->origins);
      made.is_tuple = kind == "tuple";
      return sequence_at(machine, state, made, *index);
    }
    return indexed_by_scalar(machine, state, items, *index,
                             machine.raise(PyExc_IndexError, kind + " index out of range"));
  }
  if (is_user_method(type_of(machine, state, key), "__index__"))
    return call_prelude(machine, state, "item_at", Arguments{{sequence, key}, {}});
  return not_an_index(machine, state, sequence, key);
}

Outcome set_list_item(Machine& machine, State& state, const AbstractValue& list, const AbstractValue& key,
                      const AbstractValue& value) {
  if (is_slice(state, key)) return set_slice(machine, state, list, key, value);
  const ObjectRef ref = writable(machine, state, list);
  const std::size_t size = length_of(state, ref);
  if (const auto index = known_index(key)) {
    const std::size_t position = position_of(*index, size, "list assignment index out of range");
    state.heap.edit_as<ListObject>(ref).items[position] = value;
    return known_none();
  }
  const auto index = dynamic_index(machine, state, key);
  if (!index) return not_an_index(machine, state, ref, key);
  return switch_over(
      machine, state, *index, size,
      [&](State& child, std::size_t position) {
        child.heap.edit_as<ListObject>(ref).items[position] = value;
        return known_none();
      },
      machine.raise(PyExc_IndexError, "list assignment index out of range"));
}

Outcome delete_list_item(Machine& machine, State& state, const AbstractValue& list,
                         const AbstractValue& key) {
  if (is_slice(state, key)) return delete_slice(machine, state, list, key);
  const ObjectRef ref = writable(machine, state, list);
  const auto erase = [&](State& target, std::size_t position) {
    auto& items = target.heap.edit_as<ListObject>(ref).items;
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(position));
    return known_none();
  };
  const std::size_t size = length_of(state, ref);
  if (const auto index = known_index(key))
    return erase(state, position_of(*index, size, "list assignment index out of range"));
  const auto index = dynamic_index(machine, state, key);
  if (!index) return not_an_index(machine, state, ref, key);
  return switch_over(machine, state, *index, size, erase,
                     machine.raise(PyExc_IndexError, "list assignment index out of range"));
}

}  // namespace dycl::partial_eval
