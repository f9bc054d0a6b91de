// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/iteration.h"

#include "partial_eval/data/containers.h"
#include "partial_eval/data/elements.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/sizes.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/operators.h"
#include "partial_eval/language/sequences.h"
#include "partial_eval/static_calls/arrays.h"
#include "partial_eval/static_calls/listing.h"
#include "partial_eval/torch/leaf.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"
#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {
namespace {

AbstractValue iterator_over(State& state, const AbstractValue& source) {
  return state.make(IteratorObject{source, known_int(0)});
}

AbstractValue known_tuple(const std::vector<nb::object>& items) {
  nb::list list;
  for (const nb::object& item : items) list.append(item);
  return known(nb::tuple(list));
}

// What an iterator over a dict walks: the dict, which of its parts, and the keys at the start.
AbstractValue dict_walk(State& state, const AbstractValue& dict, const std::string& kind) {
  std::vector<nb::object> keys;
  for (const auto& [key, value] : dict_entries(state, dict)) keys.push_back(key);
  AbstractValue walk = make_view(state, dict, kind);
  state.heap.edit_as<InstanceObject>(*walk.object()).attributes.set("keys", known_tuple(keys));
  return walk;
}

// The number of rows is known at run time only.
bool has_open_rows(const State& state, const AbstractValue& value) {
  const auto* tensor = state.heap.get<TensorObject>(value);
  if (tensor == nullptr) return false;
  const Sizes& shape = tensor->spec->shape;
  return !shape.empty() && !shape[0].is_known();
}

AbstractValue unbound_rows(Machine& machine, State& state, const AbstractValue& tensor) {
  const Type type = state.heap.get<TensorObject>(tensor)->spec->type;
  const auto& dims = type.tensor()->dims;
  if (dims && dims->empty()) throw_python(PyExc_TypeError, "iteration over a 0-d tensor");
  const nb::object unbind = machine.torch.tensor_class().attr("unbind");
  Outcome rows = call_leaf(machine, state, unbind, Arguments{{tensor}, {}});
  if (auto* value = std::get_if<AbstractValue>(&rows)) return *value;
  machine.refuse(state, "python.tensor_iteration", "the rows of this tensor cannot be told apart here",
                 "index the rows one by one");
}

// A live iterator would be used up by reading it, and its elements are not known before.
[[noreturn]] void refuse_live_iterator(Machine& machine, const State& state, const nb::object& live) {
  machine.refuse(state, "python.live_iterator",
                 "the " + std::string(Py_TYPE(live.ptr())->tp_name) + " iterated over exists before the call",
                 "iterate over a list or tuple, or make the iterator inside of the model");
}

Outcome iterate_by_special(Machine& machine, State& state, const AbstractValue& iterable) {
  const bool is_class = iterable.constant() != nullptr && PyType_Check(iterable.constant()->ptr());
  if (!is_class && is_user_method(type_of(machine, state, iterable), "__iter__"))  // it may give anything
    return call_prelude(machine, state, "iterator_by_method", Arguments{{iterable}, {}});
  if (auto iterator = call_special(machine, state, iterable, "__iter__", {})) return *iterator;
  if (PyObject_HasAttrString(type_of(machine, state, iterable).ptr(), "__getitem__") != 0)
    return call_prelude(machine, state, "iterate_items", Arguments{{iterable}, {}});
  return machine.raise(PyExc_TypeError,
                       "'" + type_name(machine, state, iterable) + "' object is not iterable");
}

Outcome live_iterator(Machine& machine, State& state, const AbstractValue& iterable) {
  const nb::object live = *iterable.constant();
  if (python_method(live.type(), "__iter__").is_valid() && !machine.torch.is_tensor(live))
    return iterate_by_special(machine, state, iterable);
  if (is_dict(state, iterable)) return iterator_over(state, dict_walk(state, iterable, "keys"));
  if (PyIter_Check(live.ptr()) != 0) refuse_live_iterator(machine, state, live);
  if (is_any_array(state, iterable)) note_view(machine, state, iterable);
  if (machine.torch.is_tensor(live))  // rows of a tensor that is known
    return iterator_over(state, known(owned(PySequence_Tuple(live.ptr()))));
  if (PyList_CheckExact(live.ptr()) || PyTuple_CheckExact(live.ptr()) || PyRange_Check(live.ptr()) ||
      PyUnicode_CheckExact(live.ptr()))
    return iterator_over(state, iterable);
  // A list of a class of the user's cannot change while the program runs: its elements are those that it has.
  if (is_readable_container(live) || is_plain_tensor(live) || PyList_Check(live.ptr()))
    return iterator_over(state, known(owned(PySequence_Tuple(live.ptr()))));
  return iterate_by_special(machine, state, iterable);
}

// A set and the elements that it had when the walk began.
AbstractValue set_walk(const Machine& machine, State& state, const AbstractValue& set) {
  need_order(machine, state, set);
  const nb::object type = owned(PyObject_GetIter(nb::object(nb::steal(PySet_New(nullptr))).ptr()));
  const AbstractValue items = known_tuple(set_items(state, set));
  return state.make(InstanceObject{nb::borrow(type.type()), {}, {{"set", set}, {"items", items}}});
}

const InstanceObject* as_set_walk(const State& state, const AbstractValue& source) {
  const auto* walk = state.heap.get<InstanceObject>(source);
  return walk != nullptr && walk->attributes.contains("set") && walk->attributes.contains("items") &&
                 !walk->live.is_valid() && class_name(walk->type) == "set_iterator"
             ? walk
             : nullptr;
}

Outcome object_iterator(Machine& machine, State& state, const AbstractValue& iterable) {
  const Object& object = state.heap.at(*iterable.object());
  if (std::holds_alternative<ArrayObject>(object)) {
    note_view(machine, state, iterable);
    return live_iterator(machine, state, as_read(state, iterable));
  }
  if (std::holds_alternative<IteratorObject>(object) || std::holds_alternative<GeneratorObject>(object))
    return iterable;
  if (std::holds_alternative<ListObject>(object)) return iterator_over(state, iterable);
  if (const auto* tuple = std::get_if<TupleObject>(&object); tuple != nullptr)
    return is_user_method(tuple->type, "__iter__") ? iterate_by_special(machine, state, iterable)
                                                   : Outcome(iterator_over(state, iterable));
  if (std::holds_alternative<DictObject>(object))
    return iterator_over(state, dict_walk(state, iterable, "keys"));
  if (std::holds_alternative<SetObject>(object))
    return iterator_over(state, set_walk(machine, state, iterable));
  if (std::holds_alternative<TensorObject>(object))
    return iterator_over(state,
                         has_open_rows(state, iterable) ? iterable : unbound_rows(machine, state, iterable));
  if (std::holds_alternative<SequenceObject>(object)) return iterator_over(state, iterable);
  if (const auto* range = std::get_if<RangeObject>(&object)) {
    const AbstractValue start = range->start;
    return state.make(IteratorObject{iterable, start});
  }
  if (std::holds_alternative<TextObject>(object))
    machine.refuse(state, "python.dynamic_text",
                   "a text with numbers that depend on the input is iterated over",
                   "such texts can only be raised as messages");
  if (const auto view = view_of(state, iterable))
    return iterator_over(state, dict_walk(state, view->dict, view->kind));
  return iterate_by_special(machine, state, iterable);
}

// The element of a dict's walk; the dict may not have changed its keys.
std::optional<AbstractValue> next_of_dict(Machine& machine, State& state, const DictView& view,
                                          const AbstractValue& keys, std::size_t position) {
  const auto expected = nb::cast<nb::tuple>(machine.need(state, keys, "the keys of a dict"));
  if (dict_size(state, view.dict) != expected.size())
    throw_python(PyExc_RuntimeError, "dictionary changed size during iteration");
  if (position >= expected.size()) return std::nullopt;
  const nb::object key = nb::borrow(expected[position]);
  AbstractValue value;
  if (const auto* dict = state.heap.get<DictObject>(view.dict)) {
    if (!dict->entries[position].first.is(key))
      machine.refuse(state, "python.changed_while_iterated",
                     "the keys of a dict change while it is iterated over", "iterate over list(d)");
    value = dict->entries[position].second;
  } else {
    value = known(nb::borrow(PyDict_GetItemWithError(view.dict.constant()->ptr(), key.ptr())));
  }
  value = current(state, value);
  if (view.kind == "keys") return known(key);
  if (view.kind == "values") return value;
  return new_tuple(machine, state, {known(key), value});
}

std::optional<AbstractValue> next_of_set(Machine& machine, const State& state, const InstanceObject& walk,
                                         std::size_t position) {
  const auto items =
      nb::cast<nb::tuple>(machine.need(state, walk.attributes.at("items"), "the order of a set's elements"));
  const auto refuse_change = [&] {
    machine.refuse(state, "python.changed_while_iterated",
                   "the elements of a set change while it is iterated over", "iterate over list(s)");
  };
  const AbstractValue set = walk.attributes.at("set");
  if (!is_set(state, set)) refuse_change();  // it holds numbers of the input by now
  const std::vector<nb::object> now = set_items(state, set);
  if (now.size() != items.size()) throw_python(PyExc_RuntimeError, "Set changed size during iteration");
  for (std::size_t index = 0; index < now.size(); ++index)
    if (!now[index].is(items[index])) refuse_change();
  if (position >= items.size()) return std::nullopt;
  return known(nb::borrow(items[position]));
}

}  // namespace

Outcome get_iter(Machine& machine, State& state, const AbstractValue& original) {
  const AbstractValue iterable = current(state, original);
  if (iterable.constant() != nullptr) return live_iterator(machine, state, iterable);
  if (iterable.object() != nullptr) return object_iterator(machine, state, iterable);
  return machine.raise(PyExc_TypeError,
                       "'" + type_name(machine, state, iterable) + "' object is not iterable");
}

bool is_dynamic_iterator(const State& state, ObjectRef ref) {
  const auto& iterator = std::get<IteratorObject>(state.heap.at(ref));
  if (iterator.ended) return false;
  const AbstractValue source = current(state, iterator.source);
  return iterator.position.scalar() != nullptr || state.heap.get<SequenceObject>(source) != nullptr ||
         state.heap.get<RangeObject>(source) != nullptr || state.heap.get<TensorObject>(source) != nullptr;
}

// The elements of a list or tuple of the heap, where they can be those of a sequence.
std::optional<std::vector<AbstractValue>> items_of_one_type(Machine& machine, const State& state,
                                                            const AbstractValue& source) {
  const auto* list = state.heap.get<ListObject>(source);
  const auto* tuple = state.heap.get<TupleObject>(source);
  if (list == nullptr && tuple == nullptr) return std::nullopt;
  const std::vector<AbstractValue>& items = list != nullptr ? list->items : tuple->items;
  std::optional<ElementType> type;
  if (!add_to_common(machine, state, items, type)) return std::nullopt;
  return type ? std::optional(items) : std::nullopt;
}

// A bool, or a number on the host.
AbstractValue has_next(Machine& machine, State& state, ObjectRef ref) {
  const IteratorObject iterator = *state.heap.get<IteratorObject>(ref);
  const AbstractValue source = current(state, iterator.source);
  const auto before = [&](program::Operation operation, const AbstractValue& end) {
    return std::get<AbstractValue>(compare(machine, state, operation, iterator.position, end));
  };
  using program::Operation;
  if (const auto* range = state.heap.get<RangeObject>(source))
    return before(range->step > 0 ? Operation::Less : Operation::Greater, range->stop);
  if (const auto* sequence = state.heap.get<SequenceObject>(source))
    return before(Operation::Less, std::get<AbstractValue>(sequence_length(machine, state, *sequence)));
  if (const auto* tensor = state.heap.get<TensorObject>(source)) {
    const SizeExpr rows = tensor->spec->shape[0];
    return before(Operation::Less, value_of_size(machine, state, rows));
  }
  if (const auto items = items_of_one_type(machine, state, source))
    return before(Operation::Less, known_int(static_cast<std::int64_t>(items->size())));
  const nb::object* live = source.constant();
  if (live == nullptr || !PyRange_Check(live->ptr())) {
    restart_if_given_up(iterator.position.scalar()->origins);
    machine.refuse(state, "python.dynamic_iterator",
                   "how far this iterator has come depends on the input, and its elements differ in kind",
                   "iterate over a range, a tensor or a list of tensors of one type");
  }
  return before(Operation::Less, known_int(static_cast<std::int64_t>(nb::len(*live))));
}

AbstractValue take_next(Machine& machine, State& state, ObjectRef ref) {
  const IteratorObject iterator = *state.heap.get<IteratorObject>(ref);
  const AbstractValue source = current(state, iterator.source);
  const auto sum = [&](const AbstractValue& left, const AbstractValue& right) {
    return std::get<AbstractValue>(binary(machine, state, program::Operation::Add, false, left, right));
  };
  if (const auto* range = state.heap.get<RangeObject>(source)) {
    const std::int64_t step = range->step;
    state.heap.edit_as<IteratorObject>(ref).position = sum(iterator.position, known_int(step));
    return iterator.position;
  }
  const AbstractValue next = sum(iterator.position, known_int(1));
  state.heap.edit_as<IteratorObject>(ref).position = next;
  if (const auto* sequence = state.heap.get<SequenceObject>(source))
    return sequence_element(machine, state, *sequence, iterator.position);
  if (state.heap.get<TensorObject>(source) != nullptr) {
    Outcome row = row_in_range(machine, state, source, iterator.position);
    if (auto* value = std::get_if<AbstractValue>(&row)) return *value;
    machine.refuse(state, "python.tensor_iteration", "the rows of this tensor cannot be told apart here",
                   "index the rows one by one");
  }
  if (const auto items = items_of_one_type(machine, state, source)) {
    const SequenceObject sequence = sequence_of(machine, state, *items, iterator.position.scalar()->origins);
    return sequence_element(machine, state, sequence, iterator.position);
  }
  const nb::object& range = *source.constant();
  const AbstractValue offset = host_number(machine, state, HostOp::Mul,
                                           {iterator.position, known(range.attr("step"))}, ScalarKind::I64);
  return sum(known(range.attr("start")), offset);
}

std::optional<AbstractValue> next_of(Machine& machine, State& state, ObjectRef ref) {
  const IteratorObject iterator = *state.heap.get<IteratorObject>(ref);
  if (iterator.ended) return std::nullopt;
  const auto position = static_cast<std::size_t>(nb::cast<std::int64_t>(*iterator.position.constant()));
  const AbstractValue source = current(state, iterator.source);
  std::optional<AbstractValue> element;
  if (const auto view = view_of(state, source)) {
    const AbstractValue keys = state.heap.get<InstanceObject>(source)->attributes.at("keys");
    element = next_of_dict(machine, state, *view, keys, position);
  } else if (const InstanceObject* walk = as_set_walk(state, source)) {
    element = next_of_set(machine, state, *walk, position);
  } else if (const auto* list = state.heap.get<ListObject>(source)) {
    if (position < list->items.size()) element = current(state, list->items[position]);
  } else if (const auto* tuple = state.heap.get<TupleObject>(source)) {
    if (position < tuple->items.size()) element = current(state, tuple->items[position]);
  } else if (position < nb::len(*source.constant())) {
    const auto index = static_cast<Py_ssize_t>(position);
    element = current(state, known(owned(PySequence_GetItem(source.constant()->ptr(), index))));
  }
  auto& walked = state.heap.edit_as<IteratorObject>(ref);
  walked.ended = !element;
  if (element) walked.position = known_int(static_cast<std::int64_t>(position) + 1);
  return element;
}

Forked split_next(Machine& machine, State& state, ObjectRef ref) {
  const AbstractValue more = has_next(machine, state, ref);
  Forked forked;
  if (const ScalarValue* scalar = more.scalar())
    forked = split_on(machine, state, *scalar);
  else
    forked.children.push_back({state, std::nullopt, std::nullopt});
  for (std::size_t side = 0; side < forked.children.size(); ++side) {
    Forked::Child& child = forked.children[side];
    const bool is_taken = more.scalar() != nullptr ? side == 0 : nb::cast<bool>(*more.constant());
    if (is_taken)
      child.result = take_next(machine, child.state, ref);
    else
      child.state.heap.edit_as<IteratorObject>(ref).ended = true;
  }
  return forked;
}

Outcome next_outcome(Machine& machine, State& state, ObjectRef ref, const AbstractValue& otherwise) {
  const AbstractValue stop = otherwise.bound() ? otherwise : known(nb::borrow(PyExc_StopIteration)());
  if (is_dynamic_iterator(state, ref)) {
    Forked forked = split_next(machine, state, ref);
    for (Forked::Child& child : forked.children)
      if (!child.result) (otherwise.bound() ? child.result : child.raised) = stop;
    return forked;
  }
  if (auto element = next_of(machine, state, ref)) return *element;
  if (otherwise.bound()) return otherwise;
  return Raised{stop};
}

namespace {

// Walking it runs no code that would have to be interpreted.
bool is_walked_at_once(Machine& machine, const State& state, const nb::object& live) {
  if (is_user_method(live.type(), "__iter__")) return false;
  if (PyIter_Check(live.ptr()) != 0) return false;
  if (is_readable_container(live) || is_dict(state, known(live)) || machine.torch.is_tensor(live))
    return true;
  const nb::object method = python_method(live.type(), "__iter__");
  if (!method.is_valid() || !listed(machine.torch, method)) return false;
  const bool of_layer = machine.torch.is_module(live);
  return !of_layer ||
         (machine.torch.reads_plainly(live) && state.overlay.find(live.attr("_modules")) == nullptr);
}

}  // namespace

std::optional<std::vector<AbstractValue>> elements_of(Machine& machine, State& state,
                                                      const AbstractValue& original) {
  const AbstractValue iterable = current(state, original);
  const auto* tuple = state.heap.get<TupleObject>(iterable);
  if (is_list(state, iterable) || (tuple != nullptr && !is_user_method(tuple->type, "__iter__")))
    return list_items(state, iterable);
  if (tuple != nullptr) return std::nullopt;  // its class says how it is walked
  const nb::object* live = iterable.constant();
  if (live != nullptr && !is_walked_at_once(machine, state, *live)) return std::nullopt;
  if (iterable.scalar() != nullptr || state.heap.get<GeneratorObject>(iterable) != nullptr)
    return std::nullopt;
  if (state.heap.get<InstanceObject>(iterable) != nullptr && !view_of(state, iterable)) return std::nullopt;
  Outcome made = get_iter(machine, state, iterable);
  const auto* iterator = std::get_if<AbstractValue>(&made);
  if (iterator == nullptr || state.heap.get<IteratorObject>(*iterator) == nullptr) return std::nullopt;
  const ObjectRef ref = *iterator->object();
  if (is_dynamic_iterator(state, ref)) return std::nullopt;
  std::vector<AbstractValue> elements;
  while (auto element = next_of(machine, state, ref)) {
    elements.push_back(std::move(*element));
    if (elements.size() > machine.options.unroll_limit)
      machine.refuse(
          state, "python.unroll_limit",
          "more than " + std::to_string(machine.options.unroll_limit) + " elements are taken one by one",
          "use a tensor operation, or raise the option unroll_limit");
  }
  return elements;
}

std::variant<std::vector<AbstractValue>, Outcome> need_elements(Machine& machine, State& state,
                                                                const AbstractValue& iterable,
                                                                std::uint32_t operand) {
  if (auto elements = elements_of(machine, state, iterable)) return std::move(*elements);
  if (const auto* sequence = state.heap.get<SequenceObject>(current(state, iterable)))
    refuse_sequence(machine, state, *sequence, "its elements are taken one by one");
  return call_prelude(machine, state, "to_list", Arguments{{iterable}, {}}, OnReturn::Operand, operand);
}

}  // namespace dycl::partial_eval
