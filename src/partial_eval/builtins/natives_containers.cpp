// SPDX-License-Identifier: Apache-2.0
// len, iter, next, range and the constructors of containers.
#include "partial_eval/builtins/natives_containers.h"

#include <algorithm>
#include <array>

#include "partial_eval/builtins/native_call.h"
#include "partial_eval/builtins/native_methods.h"
#include "partial_eval/data/containers.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/generators.h"
#include "partial_eval/language/items.h"
#include "partial_eval/language/iteration.h"
#include "partial_eval/language/sequences.h"
#include "partial_eval/torch/read_tensor.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"
#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {
namespace {

std::optional<Outcome> len_call(NativeCall& call) {
  return call.plain(1, 1) ? std::optional<Outcome>(length(call.machine, call.state, call.at(0)))
                          : std::nullopt;
}

std::optional<Outcome> iter_call(NativeCall& call) {
  if (call.plain(1, 1)) return get_iter(call.machine, call.state, call.at(0));
  if (call.plain(2, 2)) return call_prelude(call.machine, call.state, "iterate_until", call.arguments);
  return std::nullopt;
}

std::optional<Outcome> next_call(NativeCall& call) {
  if (!call.plain(1, 2)) return std::nullopt;
  const AbstractValue iterator = current(call.state, call.at(0));
  const AbstractValue otherwise = call.count() == 2 ? call.at(1) : AbstractValue();
  if (call.state.heap.get<GeneratorObject>(iterator) != nullptr)
    return resume(call.machine, call.state, *iterator.object(), OnReturn::Next, otherwise);
  if (call.state.heap.get<IteratorObject>(iterator) != nullptr)
    return next_outcome(call.machine, call.state, *iterator.object(), otherwise);
  const nb::object* live = iterator.constant();
  if (live != nullptr && PyIter_Check(live->ptr()) != 0 && !is_user_method(live->type(), "__next__"))
    call.machine.refuse(call.state, "python.live_iterator",
                        "next() takes an element of " + described(*live) + " that exists before the call",
                        "make the iterator inside of the model");
  if (otherwise.bound()) return call_prelude(call.machine, call.state, "next_default", call.arguments);
  if (auto result = call_special(call.machine, call.state, iterator, "__next__", {})) return result;
  return call.machine.raise(
      PyExc_TypeError, "'" + type_name(call.machine, call.state, iterator) + "' object is not an iterator");
}

// A bound of range(): a known int or an int that depends on the input.
AbstractValue range_bound(NativeCall& call, const AbstractValue& given) {
  AbstractValue bound = given;
  if (given.scalar() != nullptr && given.scalar()->kind == ScalarKind::Bool)
    bound = known(call.machine.need(call.state, given, "a bound of range()"));  // both are tried
  if (const auto index = dynamic_index(call.machine, call.state, bound)) bound = *index;
  const ScalarValue* scalar = bound.scalar();
  if (scalar == nullptr) {
    const nb::object number = call.machine.need(call.state, bound, "a bound of range()");
    if (PyIndex_Check(number.ptr()) != 0 && !is_atom(number) && !is_plain_tensor(number))
      call.machine.refuse(
          call.state, "python.handed_over",
          "range() would be given " + described(number) + ", whose __index__ CPython would run",
          "call int() on it first");
    return known(number);
  }
  if (scalar->kind == ScalarKind::F64)
    throw_python(PyExc_TypeError, "'float' object cannot be interpreted as an integer");
  // Paths that are kept apart may unroll; a loop's own variable cannot be.
  if (!call.machine.marks.from_cycle(scalar->origins)) restart_if_given_up(scalar->origins);
  return bound;
}

std::optional<Outcome> range_call(NativeCall& call) {
  if (!call.plain(1, 3)) return std::nullopt;
  for (const AbstractValue& bound : call.arguments.positional)
    if (const auto* instance = call.state.heap.get<InstanceObject>(current(call.state, bound));
        instance != nullptr && python_method(instance->type, "__index__").is_valid())
      return call_prelude(call.machine, call.state, "range_by_index", call.arguments);
  std::vector<AbstractValue> bounds;
  nb::list known_bounds;
  for (const AbstractValue& given : call.arguments.positional) {
    bounds.push_back(range_bound(call, given));
    if (const nb::object* bound = bounds.back().constant()) known_bounds.append(*bound);
  }
  if (nb::len(known_bounds) == bounds.size())
    return known(nb::borrow(reinterpret_cast<PyObject*>(&PyRange_Type))(*nb::tuple(known_bounds)));
  std::int64_t step = 1;
  if (bounds.size() == 3) {
    step = nb::cast<std::int64_t>(call.machine.need(call.state, bounds[2], "the step of range()"));
    if (step == 0) throw_python(PyExc_ValueError, "range() arg 3 must not be zero");
  }
  if (bounds.size() == 1) bounds.insert(bounds.begin(), known_int(0));
  return call.state.make(RangeObject{bounds[0], bounds[1], step});
}

std::optional<Outcome> list_call(NativeCall& call) {
  if (!call.plain(0, 1)) return std::nullopt;
  if (call.count() == 0) return new_list(call.state, {});
  if (const auto* sequence = call.state.heap.get<SequenceObject>(call.at(0))) {
    SequenceObject copy = *sequence;
    copy.is_tuple = false;
    return call.state.make(std::move(copy));
  }
  if (auto elements = elements_of(call.machine, call.state, call.at(0)))
    return new_list(call.state, std::move(*elements));
  return call_prelude(call.machine, call.state, "to_list", call.arguments);
}

std::optional<Outcome> tuple_call(NativeCall& call) {
  if (!call.plain(0, 1)) return std::nullopt;
  if (call.count() == 0) return known(nb::tuple());
  const auto* tuple = call.state.heap.get<TupleObject>(call.at(0));
  const nb::object* live = call.at(0).constant();
  if ((tuple != nullptr && tuple->type.is(reinterpret_cast<PyObject*>(&PyTuple_Type))) ||
      (live != nullptr && PyTuple_CheckExact(live->ptr())))
    return call.at(0);
  if (auto elements = elements_of(call.machine, call.state, call.at(0)))
    return new_tuple(call.machine, call.state, std::move(*elements));
  if (const auto* sequence = call.state.heap.get<SequenceObject>(current(call.state, call.at(0)))) {
    SequenceObject copy = *sequence;
    if (copy.is_tuple) return call.at(0);
    copy.is_tuple = true;
    return call.state.make(std::move(copy));
  }
  return call_prelude(call.machine, call.state, "to_tuple", call.arguments);
}

// A set of the elements of a set or dict: CPython takes them as they lie in its table, which decides the
// order.
std::optional<Outcome> set_of_table(NativeCall& call, const AbstractValue& source) {
  State& state = call.state;
  if (is_set(state, source)) {
    const bool is_itself = call.callee.is(builtin(PyFrozenSet_Type)) &&
                           PyFrozenSet_CheckExact(set_contents(state, source).ptr());
    return is_itself ? source : new_set(state, call.callee(set_contents(state, source)), std::array{source});
  }
  const nb::object* live = source.constant();
  const auto* dict = state.heap.get<DictObject>(source);
  const bool is_plain = (live != nullptr && PyDict_CheckExact(live->ptr())) ||
                        (dict != nullptr && dict->type.is(builtin(PyDict_Type)));
  if (!is_plain) return std::nullopt;
  nb::dict keys;
  for (const auto& [key, value] : dict_entries(state, source)) keys[key] = nb::none();
  return new_set(state, call.callee(keys));
}

// In a list of known length, in one of the runtime, or in such a set.
bool holds_numbers_of_the_run(NativeCall& call, const std::optional<std::vector<AbstractValue>>& elements) {
  const AbstractValue source = current(call.state, call.at(0));
  if (call.state.heap.get<SequenceObject>(source) != nullptr) return true;
  if (const auto* instance = call.state.heap.get<InstanceObject>(source))
    if (instance->type.is(call.machine.torch.prelude_function("NumberSet"))) return true;
  return elements && std::ranges::any_of(*elements, [&](const AbstractValue& element) {
           return current(call.state, element).scalar() != nullptr;
         });
}

std::optional<Outcome> set_call(NativeCall& call) {
  if (!call.plain(0, 1)) return std::nullopt;
  if (call.count() == 1) {
    if (const auto copy = set_of_table(call, current(call.state, call.at(0)))) return *copy;
    const auto elements = elements_of(call.machine, call.state, call.at(0));
    const bool is_plain = call.callee.is(reinterpret_cast<PyObject*>(&PySet_Type));
    if (is_plain && holds_numbers_of_the_run(call, elements))
      return call_prelude(call.machine, call.state, "make_number_set", call.arguments);
    if (const auto* sequence = call.state.heap.get<SequenceObject>(current(call.state, call.at(0))))
      refuse_sequence(call.machine, call.state, SequenceObject(*sequence), "a set is made of it");
    if (!elements)
      return call_prelude(call.machine, call.state, is_plain ? "to_set" : "to_frozenset", call.arguments);
    nb::list items;
    for (const AbstractValue& element : *elements)
      items.append(hashable(call.machine, call.state, element, "an element of a set"));
    return new_set(call.state, call.callee(items));
  }
  return new_set(call.state, call.callee());
}

// dict(), OrderedDict(): from nothing, a mapping or pairs, and keywords.
Outcome filled_dict(NativeCall& call, DictObject made, std::size_t first) {
  const AbstractValue dict = call.state.make(std::move(made));
  Arguments rest = call.arguments;
  rest.positional.erase(rest.positional.begin(),
                        rest.positional.begin() + static_cast<std::ptrdiff_t>(first));
  if (rest.positional.empty() && rest.keywords.empty()) return dict;
  if (rest.positional.empty() || is_copied_at_once(call.state, rest.positional[0])) {
    Outcome done = call_native_method(call.machine, call.state, dict, "update", rest);
    return std::holds_alternative<AbstractValue>(done) ? Outcome(dict) : std::move(done);
  }
  rest.positional.insert(rest.positional.begin(), dict);
  return call_prelude(call.machine, call.state, "fill_dict", std::move(rest));
}

std::optional<Outcome> dict_call(NativeCall& call) {
  if (call.count() > 1) return std::nullopt;
  return filled_dict(call, DictObject{{}, call.callee, {}}, 0);
}

std::optional<Outcome> default_dict_call(NativeCall& call) {
  if (call.count() > 2) return std::nullopt;
  const AbstractValue factory = call.count() == 0 ? known_none() : call.at(0);
  return filled_dict(call, DictObject{{}, call.callee, factory}, call.count() == 0 ? 0 : 1);
}

std::optional<Outcome> slice_call(NativeCall& call) {
  if (!call.plain(1, 3) || call.all_known()) return std::nullopt;
  SliceObject slice{known_none(), known_none(), known_none()};
  if (call.count() == 1) slice.stop = call.at(0);
  if (call.count() > 1) slice.start = call.at(0), slice.stop = call.at(1);
  if (call.count() > 2) slice.step = call.at(2);
  return call.state.make(std::move(slice));
}

// Immutable, and walked without running code: its elements may be taken at once.
bool is_fixed(const State& state, const AbstractValue& value) {
  if (const auto* tuple = state.heap.get<TupleObject>(value)) return !is_user_method(tuple->type, "__iter__");
  if (state.heap.get<TensorObject>(value) != nullptr) return true;
  const nb::object* live = value.constant();
  if (live == nullptr) return false;
  return PyTuple_CheckExact(live->ptr()) || PyRange_Check(live->ptr()) || PyUnicode_CheckExact(live->ptr()) ||
         (has_attribute(*live, "_modules") && !is_user_method(live->type(), "__iter__") &&
          PySequence_Check(live->ptr()));
}

std::optional<Outcome> by_model(NativeCall& call) {
  const nb::object model = call.machine.torch.model_of(call.callee);
  if (!model.is_valid()) return std::nullopt;
  return partial_eval::call(call.machine, call.state, known(model), call.arguments);
}

// What zip() and its like give, over elements that do not change.
Outcome iterator_of_class(NativeCall& call, const nb::object& type, std::vector<AbstractValue> elements) {
  IteratorObject iterator{new_tuple(call.machine, call.state, std::move(elements)), known_int(0)};
  iterator.shown = type;
  return call.state.make(std::move(iterator));
}

// A live iterator made by CPython would not see later writes: the models do, and fixed elements need none.
std::optional<Outcome> enumerate_call(NativeCall& call) {
  if (!call.plain(1, 2) || !is_fixed(call.state, call.at(0))) return by_model(call);
  const auto start = call.count() == 2 ? known_index(call.at(1)) : std::optional<std::int64_t>(0);
  const auto elements = elements_of(call.machine, call.state, call.at(0));
  if (!start || !elements) return by_model(call);
  std::vector<AbstractValue> pairs;
  for (const AbstractValue& element : *elements)
    pairs.push_back(new_tuple(call.machine, call.state,
                              {known_int(*start + static_cast<std::int64_t>(pairs.size())), element}));
  return iterator_of_class(call, call.callee, std::move(pairs));
}

std::optional<Outcome> zip_call(NativeCall& call) {
  if (!call.arguments.keywords.empty() || call.count() == 0) return by_model(call);
  std::vector<std::vector<AbstractValue>> columns;
  for (const AbstractValue& argument : call.arguments.positional)
    if (!is_fixed(call.state, argument)) return by_model(call);
  std::size_t rows = static_cast<std::size_t>(-1);
  for (const AbstractValue& argument : call.arguments.positional) {
    auto elements = elements_of(call.machine, call.state, argument);
    if (!elements) return by_model(call);
    rows = std::min(rows, elements->size());
    columns.push_back(std::move(*elements));
  }
  std::vector<AbstractValue> tuples;
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<AbstractValue> items;
    for (const auto& column : columns) items.push_back(column[row]);
    tuples.push_back(new_tuple(call.machine, call.state, std::move(items)));
  }
  return iterator_of_class(call, call.callee, std::move(tuples));
}

std::optional<Outcome> reversed_call(NativeCall& call) {
  // Tensors and dicts of modules have ways of their own to be reversed.
  const bool special = call.plain(1, 1) && call.at(0).constant() != nullptr &&
                       has_attribute(*call.at(0).constant(), "_modules") &&
                       !has_attribute(*call.at(0).constant(), "append");
  if (!call.plain(1, 1) || special || !is_fixed(call.state, call.at(0)) ||
      is_any_tensor(call.machine, call.state, call.at(0)))
    return by_model(call);
  auto elements = elements_of(call.machine, call.state, call.at(0));
  if (!elements) return by_model(call);
  const nb::object* live = call.at(0).constant();
  const bool of_range = live != nullptr && PyRange_Check(live->ptr());
  return iterator_of_class(call, of_range ? builtin(PyRangeIter_Type) : call.callee,
                           {elements->rbegin(), elements->rend()});
}

}  // namespace

void add_container_natives(NativeTable& table) {
  table.add("builtins", "len", len_call);
  table.add("builtins", "iter", iter_call);
  table.add("builtins", "next", next_call);
  table.add("builtins", "range", range_call);
  table.add("builtins", "list", list_call);
  table.add("builtins", "tuple", tuple_call);
  table.add("builtins", "set frozenset", set_call);
  table.add("builtins", "dict", dict_call);
  table.add("builtins", "slice", slice_call);
  table.add("collections", "OrderedDict", dict_call);
  table.add("collections", "defaultdict", default_dict_call);
  table.add("builtins", "enumerate", enumerate_call);
  table.add("builtins", "zip", zip_call);
  table.add("builtins", "reversed", reversed_call);
  table.add("builtins", "map filter", by_model);
  table.add("itertools",
            "accumulate chain combinations combinations_with_replacement compress count cycle dropwhile "
            "filterfalse "
            "islice pairwise permutations product repeat starmap takewhile zip_longest",
            by_model);
}

}  // namespace dycl::partial_eval
