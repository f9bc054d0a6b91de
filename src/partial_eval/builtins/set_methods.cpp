// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/builtins/set_methods.h"

#include <algorithm>

#include "partial_eval/data/containers.h"
#include "partial_eval/language/call.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_sets.h"
#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {
namespace {

constexpr const char* kElementRole = "an element of a set";

bool has(nb::handle set, nb::handle item) {
  const int found = PySet_Contains(set.ptr(), item.ptr());
  if (found < 0) throw nb::python_error();
  return found == 1;
}

// The contents that an operation leaves, as CPython does it.
void put(State& state, ObjectRef ref, nb::object contents) {
  state.heap.edit_as<SetObject>(ref).contents = std::move(contents);
}

// CPython walks a set of texts in another order in each process: the program is the same in all.
std::vector<nb::object> in_one_order(const nb::object& contents) {
  std::vector<nb::object> ordered;
  for (const nb::handle item : nb::object(owned(PySequence_Tuple(contents.ptr()))))
    ordered.push_back(nb::borrow(item));
  std::ranges::sort(ordered, {},
                    [](const nb::object& item) { return nb::cast<std::string>(nb::repr(item)); });
  return ordered;
}

// The set becomes one of the prelude's, which knows how many of its elements are different only at run time.
Outcome add_number(Machine& machine, State& state, const AbstractValue& self, const AbstractValue& number) {
  const ObjectRef ref = writable(machine, state, self);
  const std::vector<nb::object> known_items = in_one_order(set_contents(state, ref));
  const bool may_change = !is_twin(state, ref) && std::ranges::all_of(known_items, is_atom);
  if (!may_change) hashable(machine, state, number, kElementRole);  // which refuses
  ListObject items;
  for (const nb::object& item : known_items) items.items.push_back(known(item));
  InstanceObject made{machine.torch.prelude_function("NumberSet"), {}, {}};
  made.attributes.set("<items>", state.make(std::move(items)));
  state.heap.edit(ref) = std::move(made);
  return call_prelude(machine, state, "add_to_set", Arguments{{ref, number}, {}});
}

Outcome add(Machine& machine, State& state, const AbstractValue& self, const AbstractValue& element) {
  if (element.scalar() != nullptr) return add_number(machine, state, self, element);
  const nb::object item = hashable(machine, state, element, kElementRole);
  const ObjectRef ref = writable(machine, state, self);
  const nb::object before = set_contents(state, ref);
  if (has(before, item)) return known_none();
  const nb::object after = exact_copy(before);
  if (PySet_Add(after.ptr(), item.ptr()) < 0) throw nb::python_error();
  put(state, ref, after);
  return known_none();
}

Outcome remove(Machine& machine, State& state, const AbstractValue& self, const AbstractValue& element,
               bool must_be_there) {
  const nb::object item = hashable(machine, state, element, kElementRole);
  const ObjectRef ref = writable(machine, state, self);
  const nb::object before = set_contents(state, ref);
  if (!has(before, item)) {
    if (must_be_there) throw_python(PyExc_KeyError, item);
    return known_none();
  }
  const nb::object after = exact_copy(before);
  if (PySet_Discard(after.ptr(), item.ptr()) < 0) throw nb::python_error();
  put(state, ref, after);
  return known_none();
}

// Of several elements no rule names the one that goes.
Outcome pop_only(Machine& machine, State& state, const AbstractValue& self) {
  const ObjectRef ref = writable(machine, state, self);
  const nb::object rest = exact_copy(set_contents(state, ref));
  const nb::object popped = owned(PySet_Pop(rest.ptr()));
  put(state, ref, rest);
  return current(state, known(popped));
}

// Something that CPython may walk, or nothing that it can walk.
bool holds_plain_keys(const nb::object& other) {
  if (is_atom(other) && !PyUnicode_Check(other.ptr())) return true;
  if (!is_readable_container(other)) return false;
  for (const nb::handle item : nb::object(owned(PySequence_Tuple(other.ptr()))))
    if (!is_plain_key(item)) return false;
  return true;
}

// The set as a live one and the arguments too, when everything is known.
std::optional<nb::object> result_of_cpython(Machine& machine, State& state, const AbstractValue& self,
                                            const std::string& name, const Arguments& arguments) {
  const auto live = machine.reify(state, self);
  if (!live) return std::nullopt;
  nb::list others;
  for (const AbstractValue& argument : arguments.positional) {
    const auto other = machine.reify(state, argument);
    if (!other || !holds_plain_keys(*other)) return std::nullopt;
    others.append(*other);
  }
  return nb::object(live->attr(name.c_str())(*others));
}

bool changes(const std::string& name) {
  return name == "update" || name.ends_with("_update") || name == "__ior__" || name == "__iand__" ||
         name == "__isub__" || name == "__ixor__";
}

// s.update(x): the live copy is changed and its elements become those of the set.
std::optional<Outcome> change(Machine& machine, State& state, const AbstractValue& self,
                              const std::string& name, const Arguments& arguments) {
  const nb::object changed = exact_copy(set_contents(state, self));
  const nb::object method = changed.attr(name.c_str());
  nb::list others;
  for (const AbstractValue& argument : arguments.positional) {
    const auto other = machine.reify(state, argument);
    if (!other || !holds_plain_keys(*other)) return std::nullopt;
    others.append(*other);
  }
  const nb::object result = method(*others);
  if (result.is(Py_NotImplemented)) return known(result);
  const ObjectRef ref = writable(machine, state, self);
  put(state, ref, changed);
  for (const AbstractValue& argument : arguments.positional)
    add_disorder(state, state.heap.edit_as<SetObject>(ref), argument);
  return name.starts_with("__i") ? Outcome(AbstractValue(ref)) : Outcome(known_none());
}

}  // namespace

std::optional<Outcome> set_method(Machine& machine, State& state, const AbstractValue& self,
                                  const std::string& name, Arguments& arguments) {
  if (!arguments.keywords.empty()) return std::nullopt;
  const std::size_t count = arguments.positional.size();
  if (name == "add" && count == 1) return add(machine, state, self, arguments.positional[0]);
  if (name == "remove" && count == 1) return remove(machine, state, self, arguments.positional[0], true);
  if (name == "discard" && count == 1) return remove(machine, state, self, arguments.positional[0], false);
  if (name == "clear" && count == 0) {
    put(state, writable(machine, state, self), owned(PySet_New(nullptr)));
    return known_none();
  }
  if (name == "pop" && count == 0 && PySet_GET_SIZE(set_contents(state, self).ptr()) < 2)
    return pop_only(machine, state, self);
  if (name == "pop" && count == 0)
    machine.refuse(state, "python.set_pop", "set.pop() takes an element that no rule names",
                   "use min(), max() or a list");
  if (changes(name)) return change(machine, state, self, name, arguments);
  if (const auto result = result_of_cpython(machine, state, self, name, arguments)) {
    std::vector<AbstractValue> made_of = arguments.positional;
    made_of.push_back(self);
    return PyAnySet_CheckExact(result->ptr()) ? new_set(state, *result, made_of) : known(*result);
  }
  return std::nullopt;
}

}  // namespace dycl::partial_eval
