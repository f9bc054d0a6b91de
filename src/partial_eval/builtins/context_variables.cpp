// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/builtins/context_variables.h"

#include <fmt/format.h>

#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

// Names of attributes that no program can write: of a variable what it was set to, of a token what it was
// before.
constexpr const char* kValue = "<value>";
constexpr const char* kBefore = "<before>";
constexpr const char* kVariable = "<variable>";

// Unbound: the program has not set it.
AbstractValue value_of(const State& state, const nb::object& variable) {
  const ObjectRef* twin = state.overlay.find(variable);
  if (twin == nullptr) return {};
  const auto& attributes = state.heap.get<InstanceObject>(AbstractValue(*twin))->attributes;
  const AbstractValue* found = attributes.find(kValue);
  return found == nullptr ? AbstractValue() : *found;
}

void write_value(State& state, const nb::object& variable, const AbstractValue& value) {
  if (!value.bound()) return state.overlay.erase(variable);  // it is as it was
  if (state.overlay.find(variable) == nullptr)
    state.overlay.set(variable, state.heap.add(InstanceObject{nb::borrow(variable.type()), variable, {}}));
  const ObjectRef twin = *state.overlay.find(variable);
  state.heap.edit_as<InstanceObject>(twin).attributes.set(kValue, value);
}

// As `explain` shows it: nothing of an object's own is asked.
nb::object shown(const nb::object& found) {
  if (!found.is_valid()) return nb::str("not set");
  const bool is_plain = found.is_none() || PyBool_Check(found.ptr()) || PyLong_CheckExact(found.ptr()) ||
                        PyFloat_CheckExact(found.ptr()) || PyUnicode_CheckExact(found.ptr());
  return is_plain ? found : nb::str(fmt::format("a {}", class_name(found.type())).c_str());
}

// The program holds for calls in which the variable has the same value. `found` is invalid where it has none.
void note_read(NativeCall& call, const nb::object& variable, const nb::object& found) {
  const bool has_default = call.count() == 1;
  for (const nb::handle read : call.machine.found.context_reads)
    if (nb::object(read[0]).is(variable) && nb::cast<bool>(read[1]) == has_default) return;
  const nb::tuple had = found.is_valid() ? nb::make_tuple(found) : nb::tuple();
  call.machine.found.context_reads.append(nb::make_tuple(variable, has_default, had));
  const std::string name = text_or_empty(variable, "name");
  call.machine.note_fact(call.state, fmt::format("ContextVar('{}').get()", name), shown(found));
}

Outcome get(NativeCall& call, const nb::object& variable) {
  const AbstractValue written = value_of(call.state, variable);
  if (written.bound()) return current(call.state, written);
  call.machine.across_calls.live_reads.try_emplace({variable.ptr(), kValue}, call.machine.spans(call.state));
  // What get() is given comes before what the variable was made with.
  const nb::object nothing = builtin(PyBaseObject_Type)();
  PyObject* given = call.count() == 1 ? nothing.ptr() : nullptr;
  PyObject* found = nullptr;
  if (PyContextVar_Get(variable.ptr(), given, &found) != 0) throw nb::python_error();
  const nb::object value = nb::steal(found);
  const bool is_set = value.is_valid() && !value.is(nothing);
  note_read(call, variable, is_set ? value : nb::object());
  if (is_set) return current(call.state, known(value));
  if (call.count() == 1) return call.at(0);
  return call.machine.raise(PyExc_LookupError, nb::cast<std::string>(nb::repr(variable)));
}

Outcome set(NativeCall& call, const nb::object& variable) {
  const AbstractValue before = value_of(call.state, variable);
  InstanceObject token{library_object("contextvars", "Token"), {}, {{kVariable, known(variable)}}};
  if (before.bound()) token.attributes.set(kBefore, before);
  write_value(call.state, variable, call.at(0));
  return call.state.make(std::move(token));
}

Outcome reset(NativeCall& call, const nb::object& variable) {
  const auto* token = call.state.heap.get<InstanceObject>(call.at(0));
  AbstractValue owner;  // the variable whose token this is, if it was not used before
  if (token != nullptr && token->attributes.contains(kVariable))
    owner = current(call.state, token->attributes.at(kVariable));
  const ObjectRef* twin = call.state.overlay.find(variable);
  if (owner.object() == nullptr || twin == nullptr || owner.object()->id != twin->id)
    call.machine.refuse(call.state, "python.context",
                        "a context variable is reset with something else than what its set() gave, once",
                        "keep set() and reset() in one function, with try and finally");
  const AbstractValue* before = token->attributes.find(kBefore);
  write_value(call.state, variable, before == nullptr ? AbstractValue() : *before);
  call.state.heap.edit_as<InstanceObject>(*call.at(0).object()).attributes.erase(kVariable);  // used up
  return known_none();
}

}  // namespace

std::optional<Outcome> call_context_variable(NativeCall& call) {
  PyObject* self = PyCFunction_GET_SELF(call.callee.ptr());
  if (self == nullptr || !PyContextVar_CheckExact(self) || !call.arguments.keywords.empty())
    return std::nullopt;
  const std::string name = text_or_empty(call.callee, "__name__");
  const nb::object variable = nb::borrow(self);
  if (name == "get" && call.count() <= 1) return get(call, variable);
  if (name == "set" && call.count() == 1) return set(call, variable);
  if (name == "reset" && call.count() == 1) return reset(call, variable);
  return std::nullopt;
}

}  // namespace dycl::partial_eval
