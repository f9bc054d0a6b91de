// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/derived_containers.h"

#include <fmt/format.h>

#include <set>

#include "partial_eval/data/containers.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/language/call.h"
#include "partial_eval/values/live_kinds.h"

namespace dycl::partial_eval {
namespace {

nb::object ordered_dict() { return library_object("collections", "OrderedDict"); }

bool is_new_of_base(nb::handle type, PyTypeObject& base) {
  return is_subtype(type, builtin(base)) && as_type(type)->tp_new == base.tp_new;
}

// A descriptor of dict, OrderedDict or list, as `super().__setitem__` and `self.items` find it.
bool is_method_of_container(nb::handle callee) {
  if (Py_TYPE(callee.ptr()) != &PyWrapperDescr_Type && Py_TYPE(callee.ptr()) != &PyMethodDescr_Type)
    return false;
  const nb::object owner = attribute_or_null(callee, "__objclass__");
  return owner.is_valid() &&
         (owner.is(builtin(PyDict_Type)) || owner.is(builtin(PyList_Type)) || owner.is(ordered_dict()));
}

// A dict whose copy() is an object of its class, or holds what the keys() of its class say.
bool is_other_copy(nb::handle type) {
  return is_subtype(type, builtin(PyDict_Type)) && !is_copied_past_methods(type);
}

// These give the instance itself, another one of its class, or a text that names the class.
void refuse_unmodelled(const Machine& machine, const State& state, nb::handle type, const std::string& name) {
  static const std::set<std::string> kUnmodelled{"__iadd__", "__imul__",  "__ior__", "__repr__",
                                                 "__str__",  "__or__",    "__ror__", "__reduce__",
                                                 "__hash__", "__sizeof__"};
  const bool makes_another = name == "copy" && is_other_copy(type);
  if (!kUnmodelled.contains(name) && !makes_another) return;
  machine.refuse(state, "python.class",
                 fmt::format("{}() of a {}, which derives from a builtin container, is not modelled", name,
                             full_name_of(type)),
                 "call the method of a plain dict or list");
}

}  // namespace

bool derives_from_container(nb::handle type) {
  const bool is_base = type.is(builtin(PyDict_Type)) || type.is(builtin(PyList_Type));
  if (is_base || is_subtype(type, library_object("collections", "defaultdict"))) return false;
  return is_new_of_base(type, PyDict_Type) || is_new_of_base(type, PyList_Type);
}

AbstractValue make_instance(State& state, const nb::object& type) {
  InstanceObject instance{type, {}, {}};
  if (derives_from_container(type)) {
    const bool is_dict = is_subtype(type, builtin(PyDict_Type));
    const nb::object base = is_subtype(type, ordered_dict()) ? ordered_dict() : builtin(PyDict_Type);
    instance.attributes.set(kContents,
                            is_dict ? state.make(DictObject{{}, base, {}}) : state.make(ListObject{}));
  }
  return state.make(std::move(instance));
}

AbstractValue inner_container(const State& state, const AbstractValue& value) {
  const auto* instance = state.heap.get<InstanceObject>(value);
  if (instance == nullptr) return {};
  const AbstractValue* found = instance->attributes.find(kContents);
  return found == nullptr ? AbstractValue() : *found;
}

AbstractValue as_container(const State& state, const AbstractValue& value) {
  const AbstractValue inner = inner_container(state, value);
  return inner.bound() ? inner : value;
}

bool is_copied_by_class(Machine& machine, State& state, const AbstractValue& value) {
  return is_derived_container(state, value) && is_other_copy(type_of(machine, state, value));
}

void refuse_own_writes(const Machine& machine, const State& state, nb::handle type) {
  for (const char* name : {"__setitem__", "__getitem__", "__contains__", "update"})
    if (is_subtype(type, ordered_dict()) && is_user_method(type, name))
      machine.refuse(state, "python.class",
                     fmt::format("an OrderedDict of the class {}, which defines {}, is filled: CPython asks "
                                 "that method",
                                 full_name_of(type), name),
                     "derive the class from dict, or write its entries one by one");
}

Outcome fill_container(Machine& machine, State& state, const AbstractValue& container, Arguments arguments,
                       const AbstractValue& result) {
  const bool is_empty_call = arguments.positional.empty() && arguments.keywords.empty();
  if (is_empty_call) return result;
  const bool of_list = is_list(state, container);
  const nb::object fill =
      of_list ? machine.torch.prelude_function("extend_list")
              : machine.torch.method_model(reinterpret_cast<PyObject*>(&PyDict_Type), "update");
  if (!fill.is_valid()) internal_error("the prelude has no dict.update");
  arguments.positional.insert(arguments.positional.begin(), container);
  return call(machine, state, known(fill), std::move(arguments), OnReturn::Instance, result);
}

std::optional<Outcome> call_container_method(Machine& machine, State& state, const nb::object& callee,
                                             const Arguments& arguments) {
  if (arguments.positional.empty() || !is_method_of_container(callee)) return std::nullopt;
  const AbstractValue self = current(state, arguments.positional[0]);
  const AbstractValue container = inner_container(state, self);
  if (!container.bound()) return std::nullopt;
  const std::string name = text_or_empty(callee, "__name__");
  refuse_unmodelled(machine, state, type_of(machine, state, self), name);
  static const std::set<std::string> kFilling{"__init__", "update", "setdefault", "pop"};
  if (kFilling.contains(name)) refuse_own_writes(machine, state, type_of(machine, state, self));
  Arguments rest{{arguments.positional.begin() + 1, arguments.positional.end()}, arguments.keywords};
  if (name == "__getattribute__")
    return instance_attribute(machine, state, *receiver_of(state, self),
                              nb::cast<std::string>(machine.need(state, rest.positional.at(0), "a name")));
  if (name == "__init__") return fill_container(machine, state, container, std::move(rest), known_none());
  if (name == "__getitem__" && type_attribute(type_of(machine, state, self), "__missing__").is_valid())
    return call_prelude(machine, state, "item_or_missing",
                        Arguments{{self, container, rest.positional.at(0)}, {}});
  for (AbstractValue& value : rest.positional)
    if (const AbstractValue other = inner_container(state, current(state, value));
        other.bound() && (name == "__eq__" || name == "__ne__"))
      value = other;
  return machine.builtins.call_method(machine, state, container, name, rest);
}

}  // namespace dycl::partial_eval
