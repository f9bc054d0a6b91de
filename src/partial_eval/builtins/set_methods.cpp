// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/builtins/set_methods.h"

#include "partial_eval/data/containers.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {
namespace {

constexpr const char* kElementRole = "an element of a set";

std::optional<std::size_t> place_of(const std::vector<nb::object>& items, nb::handle wanted) {
  for (std::size_t index = 0; index < items.size(); ++index)
    if (is_same_key(items[index], wanted)) return index;
  return std::nullopt;
}

Outcome add(Machine& machine, State& state, const AbstractValue& self, const AbstractValue& element) {
  const nb::object item = hashable(machine, state, element, kElementRole);
  const ObjectRef ref = writable(machine, state, self);
  if (!place_of(state.heap.get<SetObject>(ref)->items, item))
    state.heap.edit_as<SetObject>(ref).items.push_back(item);
  return known_none();
}

Outcome remove(Machine& machine, State& state, const AbstractValue& self, const AbstractValue& element,
               bool must_be_there) {
  const nb::object item = hashable(machine, state, element, kElementRole);
  const ObjectRef ref = writable(machine, state, self);
  const auto place = place_of(state.heap.get<SetObject>(ref)->items, item);
  if (!place && must_be_there) throw_python(PyExc_KeyError, item);
  if (place) {
    auto& items = state.heap.edit_as<SetObject>(ref).items;
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(*place));
  }
  return known_none();
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

AbstractValue as_value(State& state, const nb::object& result) {
  if (!PyAnySet_CheckExact(result.ptr())) return known(result);
  SetObject set{{}, nb::borrow(result.type())};
  for (const nb::handle item : result) set.items.push_back(nb::borrow(item));
  return state.make(std::move(set));
}

bool changes(const std::string& name) {
  return name == "update" || name.ends_with("_update") || name == "__ior__" || name == "__iand__" ||
         name == "__isub__" || name == "__ixor__";
}

// s.update(x): the live copy is changed and its elements become those of the set.
std::optional<Outcome> change(Machine& machine, State& state, const AbstractValue& self,
                              const std::string& name, const Arguments& arguments) {
  nb::object changed = owned(PySet_New(nullptr));
  for (const nb::object& item : set_items(state, self)) PySet_Add(changed.ptr(), item.ptr());
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
  SetObject& set = state.heap.edit_as<SetObject>(ref);
  set.items.clear();
  for (const nb::handle item : changed) set.items.push_back(nb::borrow(item));
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
    state.heap.edit_as<SetObject>(writable(machine, state, self)).items.clear();
    return known_none();
  }
  if (name == "pop" && count == 0)
    machine.refuse(state, "python.set_pop", "set.pop() takes an element that no rule names",
                   "use min(), max() or a list");
  if (changes(name)) return change(machine, state, self, name, arguments);
  if (const auto result = result_of_cpython(machine, state, self, name, arguments))
    return as_value(state, *result);
  return std::nullopt;
}

}  // namespace dycl::partial_eval
