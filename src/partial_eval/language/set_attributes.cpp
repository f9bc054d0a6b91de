// SPDX-License-Identifier: Apache-2.0
// Writing and deleting attributes: on the heap, never on live objects.
#include "partial_eval/language/set_attributes.h"

#include <fmt/format.h>
#include <algorithm>

#include "partial_eval/data/containers.h"
#include "partial_eval/data/twins.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/language/call.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

ObjectRef written(Machine& machine, State& state, const Receiver& receiver) {
  if (receiver.live.is_valid()) return twin_of(machine, state, receiver.live);
  return *receiver.self.object();
}

void store(Machine& machine, State& state, const Receiver& receiver, const std::string& name,
           AbstractValue value) {
  const ObjectRef ref = written(machine, state, receiver);
  auto* instance = std::get_if<InstanceObject>(&state.heap.edit(ref));
  if (instance == nullptr)
    machine.refuse(state, "python.attribute_write",
                   fmt::format("the attribute '{}' of a '{}' object is set", name, class_name(receiver.type)),
                   "keep it in a variable");
  instance->attributes.set(name, std::move(value));
  instance->from_live.erase(name);
  instance->forgotten.erase(name);
}

// Sets an attribute that no descriptor takes: in the object's `__dict__`, where the program has read that.
void store_plainly(Machine& machine, State& state, const Receiver& receiver, const std::string& name,
                   const AbstractValue& value) {
  if (receiver.dict == nullptr) return store(machine, state, receiver, name, value);
  const nb::str key(name.c_str());
  auto& dict = state.heap.edit_as<DictObject>(*receiver.object->attributes.at(kDict).object());
  const auto found = dict.find(key);
  if (found && value.bound())
    dict.entries[*found].second = value;
  else if (found)
    dict.entries.erase(dict.entries.begin() + static_cast<std::ptrdiff_t>(*found));
  else
    dict.entries.emplace_back(key, value);
}

// `self.__dict__ = {…}`: the dict itself holds the attributes from now on.
Outcome replace_dict(Machine& machine, State& state, const Receiver& receiver, const AbstractValue& value) {
  const auto* dict = state.heap.get<DictObject>(current(state, value));
  const bool is_plain = dict != nullptr && dict->type.is(builtin(PyDict_Type));
  if (receiver.live.is_valid() || !is_plain || machine.torch.is_module_class(receiver.type))
    machine.refuse(state, "python.attribute_write",
                   fmt::format("the '__dict__' of a '{}' object is replaced", class_name(receiver.type)),
                   "set attributes one by one");
  (void)attribute_dict(machine, state, receiver);
  auto& instance = state.heap.edit_as<InstanceObject>(*receiver.self.object());
  instance.attributes.set(kDict, current(state, value));
  return known_none();
}

// CPython's generated __setattr__ and __delattr__ of a frozen dataclass guard its fields, and everything on
// instances of exactly that class.
bool is_frozen(nb::handle type, const std::string& name) {
  const nb::object setter = python_method(type, "__setattr__");
  if (!setter.is_valid() || !is_generated(setter)) return false;
  for (const nb::handle base : nb::borrow<nb::tuple>(type.attr("__mro__"))) {
    if (!class_entry(base, "__setattr__").is(setter)) continue;
    const nb::object parameters = class_entry(base, "__dataclass_params__");
    if (!parameters.is_valid() || !nb::cast<bool>(parameters.attr("frozen"))) return false;
    return base.is(type) || entry_or_null(class_entry(base, "__dataclass_fields__"), name).is_valid();
  }
  return false;
}

Raised frozen(const Machine& machine, const char* verb, const std::string& name) {
  return machine.raise(library_object("dataclasses", "FrozenInstanceError"),
                       fmt::format("cannot {} field '{}'", verb, name));
}

// Only objects of these kinds keep attributes; the others have Python's own words for it.
Raised read_only(const Machine& machine, nb::handle type, const std::string& name) {
  if (!type_attribute(type, name).is_valid()) return no_attribute(machine, type, name);
  if (is_subtype(type, reinterpret_cast<PyObject*>(&PyTuple_Type)) &&
      attribute_or_null(type, "_fields").is_valid())
    return machine.raise(PyExc_AttributeError, "can't set attribute");
  return machine.raise(PyExc_AttributeError,
                       fmt::format("'{}' object attribute '{}' is read-only", class_name(type), name));
}

bool has_dict(nb::handle type) { return type_attribute(type, "__dict__").is_valid(); }

void refuse_shared(const Machine& machine, const State& state, const nb::object& live,
                   const std::string& name) {
  const bool module = PyModule_Check(live.ptr());
  if (!module && !PyType_Check(live.ptr()) && !PyFunction_Check(live.ptr()) && !PyMethod_Check(live.ptr()))
    return;
  machine.refuse(state, "python.global_write",
                 fmt::format("the attribute '{}' of the {} {} is written", name,
                             module                     ? "module"
                             : PyType_Check(live.ptr()) ? "class"
                                                        : "function",
                             module ? text_or_empty(live, "__name__") : full_name_of(live)),
                 "keep it in a variable, or on an instance");
}

void refuse_tensor(const Machine& machine, const State& state, const AbstractValue& value,
                   const std::string& name) {
  if (!is_any_tensor(machine, state, value)) return;
  machine.refuse(state, "python.tensor_attribute",
                 fmt::format("the attribute '{}' of a tensor is written", name),
                 "use tensor operations that return a new tensor");
}

// torch.nn.Module raises a TypeError where the kind of a registered attribute would change.
void refuse_other_kind(const Machine& machine, const State& state, const Receiver& receiver,
                       const std::string& name, const AbstractValue& value) {
  if (!receiver.live.is_valid() || !machine.torch.is_module(receiver.live) || value.is_none()) return;
  const nb::object dict = instance_dict(receiver.live);
  const nb::object* live = value.constant();
  const auto registered = [&](const char* table) {
    return entry_or_null(entry_or_null(dict, table), name).is_valid();
  };
  const bool parameter =
      live != nullptr && is_subtype(type_of_live(*live), library_object("torch.nn", "Parameter"));
  const bool bad = (registered("_parameters") && !parameter) ||
                   (registered("_modules") && (live == nullptr || !machine.torch.is_module(*live))) ||
                   (registered("_buffers") && !is_any_tensor(machine, state, value));
  if (!bad) return;
  machine.refuse(
      state, "python.module_attribute",
      fmt::format("the registered parameter, buffer or child '{}' is replaced by something of another "
                  "kind, which torch.nn.Module does not allow",
                  name),
      "use another name");
}

// torch.nn.Module keeps it in a table, not in its `__dict__`.
bool is_registered(const Machine& machine, const State& state, const nb::object& layer,
                   const std::string& name, const AbstractValue& value) {
  const nb::object* live = value.constant();
  const bool is_kind = live != nullptr && (machine.torch.is_module(*live) ||
                                           nb::isinstance(*live, library_object("torch.nn", "Parameter")));
  return is_kind || registered_attribute(state, layer, name).bound();
}

// The program has the dict or table in its hands that holds the attribute of the live object.
bool is_held_by_shown_dict(const Machine& machine, const State& state, const nb::object& live,
                           const std::string& name, const AbstractValue& value) {
  const auto is_shown = [&](const nb::object& held) {
    return held.is_valid() &&
           (machine.across_calls.shown_dicts.contains(held) || state.overlay.contains(held));
  };
  const nb::object dict = instance_dict(live);
  if (is_shown(dict)) return true;
  if (!machine.torch.is_module(live) || !is_registered(machine, state, live, name, value)) return false;
  return std::ranges::any_of(kModuleTables,
                             [&](const char* table) { return is_shown(entry_or_null(dict, table)); });
}

// What the program reads in the dict, or writes to it, would not be the same as the attribute.
void refuse_beside_dict(const Machine& machine, const State& state, const Receiver& receiver,
                        const std::string& name, const AbstractValue& value) {
  const bool is_table = std::ranges::find(kModuleTables, name) != kModuleTables.end() &&
                        machine.torch.is_module_class(receiver.type);
  const bool is_beside =
      receiver.live.is_valid() && is_held_by_shown_dict(machine, state, receiver.live, name, value);
  if (!is_table && !is_beside) return;
  machine.refuse(
      state, "python.instance_dict",
      fmt::format("the attribute '{}' of a '{}' object is written, and {}", name, class_name(receiver.type),
                  is_table ? "holds others" : "the dict that holds it is used by itself"),
      is_table ? "write the entries of the table" : "use the attribute alone, or the dict alone");
}

// A module that the program makes has no tables of parameters and children: where torch would look into them,
// or complain that they are not there yet, it is refused.
void refuse_in_made_module(Machine& machine, State& state, const Receiver& receiver, const std::string& name,
                           const AbstractValue& value) {
  if (receiver.live.is_valid() || !machine.torch.is_module_class(receiver.type)) return;
  const auto is_registered = [&](const AbstractValue& attribute) {
    const nb::object type = type_of(machine, state, attribute);
    return machine.torch.is_module_class(type) || is_subtype(type, library_object("torch.nn", "Parameter"));
  };
  const bool begun = written_attribute(receiver, "training") != nullptr;
  const AbstractValue* before = written_attribute(receiver, name);
  const bool replaces =
      before != nullptr && before->bound() && is_registered(*before) != is_registered(value);
  if (!replaces && (begun || !is_registered(value))) return;
  machine.refuse(state, "python.module_attribute",
                 fmt::format("the attribute '{}' of a {} that the program makes is set before "
                             "torch.nn.Module.__init__(), or to something of another kind",
                             name, full_name_of(receiver.type)),
                 "call super().__init__() first, and use another name");
}

Outcome through_descriptor(Machine& machine, State& state, const Receiver& receiver,
                           const nb::object& descriptor, const std::string& name,
                           const AbstractValue& value) {
  const bool deletes = !value.bound();
  if (name == "__dict__" && !deletes) return replace_dict(machine, state, receiver, value);
  Arguments arguments{{receiver.self}, {}};
  if (!deletes) arguments.positional.push_back(value);
  if (PyObject_TypeCheck(descriptor.ptr(), &PyProperty_Type) != 0) {
    const nb::object setter = descriptor.attr(deletes ? "fdel" : "fset");
    if (setter.is_none())
      return machine.raise(PyExc_AttributeError,
                           fmt::format("property '{}' of '{}' object has no {}", name,
                                       class_name(receiver.type), deletes ? "deleter" : "setter"));
    return call(machine, state, known(setter), std::move(arguments));
  }
  if (Py_TYPE(descriptor.ptr()) == &PyMemberDescr_Type ||
      (name == "args" && is_exception_type(receiver.type))) {
    store(machine, state, receiver, name, value);
    return known_none();
  }
  const nb::object setter = python_method(type_of_live(descriptor), deletes ? "__delete__" : "__set__");
  if (!setter.is_valid())
    machine.refuse(state, "python.attribute_write",
                   fmt::format("the attribute '{}' of a '{}' object is written, a {}", name,
                               class_name(receiver.type), class_name(type_of_live(descriptor))));
  arguments.positional.insert(arguments.positional.begin(), known(descriptor));
  return call(machine, state, known(setter), std::move(arguments));
}

// Set on the class by the user; torch's own and CPython's generated ones are modelled.
nb::object user_hook(const Machine& machine, const State& state, const nb::object& type, const char* name) {
  nb::object hook = attribute_hook(machine, state, type, name);
  return hook.is_valid() && !is_library(hook) && !is_generated(hook) ? hook : nb::object();
}

bool holds_attribute(const State& state, const Receiver& receiver, const std::string& name) {
  if (const AbstractValue* written = written_attribute(receiver, name)) return written->bound();
  if (!receiver.live.is_valid()) return false;
  return entry_or_null(instance_dict(receiver.live), name).is_valid() ||
         registered_attribute(state, receiver.live, name).bound();
}

// The object to write to, after everything that has no attributes to write was sent away.
std::variant<Receiver, Outcome> writable_receiver(Machine& machine, State& state, const AbstractValue& object,
                                                  const std::string& name) {
  const AbstractValue value = current(state, object);
  refuse_tensor(machine, state, value, name);
  if (const nb::object* live = value.constant()) refuse_shared(machine, state, *live, name);
  const auto receiver = receiver_of(state, value);
  const nb::object type = type_of(machine, state, value);
  if (!receiver && has_dict(type) && !type_attribute(type, name).is_valid())
    machine.refuse(state, "python.attribute_write",
                   fmt::format("the attribute '{}' of a '{}' object is set", name, class_name(type)),
                   "keep it in a variable, or as an entry");
  if (!receiver) return Outcome(read_only(machine, type, name));
  return *receiver;
}

}  // namespace

Outcome set_plain_attr(Machine& machine, State& state, const Receiver& receiver, const std::string& name,
                       const AbstractValue& value) {
  const nb::object descriptor = type_attribute(receiver.type, name);
  if (descriptor.is_valid() && is_data_descriptor(descriptor))
    return through_descriptor(machine, state, receiver, descriptor, name, value);
  if (!has_dict(receiver.type)) return read_only(machine, receiver.type, name);
  refuse_beside_dict(machine, state, receiver, name, value);
  refuse_other_kind(machine, state, receiver, name, value);
  refuse_in_made_module(machine, state, receiver, name, value);
  store_plainly(machine, state, receiver, name, value);
  return known_none();
}

Outcome delete_plain_attr(Machine& machine, State& state, const Receiver& receiver, const std::string& name) {
  const nb::object descriptor = type_attribute(receiver.type, name);
  const bool member = descriptor.is_valid() && Py_TYPE(descriptor.ptr()) == &PyMemberDescr_Type;
  if (descriptor.is_valid() && is_data_descriptor(descriptor) && !member)
    return through_descriptor(machine, state, receiver, descriptor, name, {});
  if (receiver.live.is_valid()) note_read(machine, state, receiver.live, name);  // whether it is there
  if (member && receiver.live.is_valid() && receiver.object == nullptr)
    (void)nb::object(receiver.live.attr(name.c_str()));  // raises where there is nothing to delete
  else if (!holds_attribute(state, receiver, name))
    return member ? machine.raise(PyExc_AttributeError, name) : no_attribute(machine, receiver.type, name);
  if (!member) refuse_beside_dict(machine, state, receiver, name, {});
  if (member)
    store(machine, state, receiver, name, {});
  else
    store_plainly(machine, state, receiver, name, {});
  return known_none();
}

namespace {

// f.__defaults__ = (1, 2)
Outcome set_defaults(Machine& machine, State& state, ObjectRef function, const AbstractValue& value) {
  const auto* tuple = state.heap.get<TupleObject>(value);
  const nb::object* live = value.constant();
  if (!value.is_none() && tuple == nullptr && (live == nullptr || !PyTuple_Check(live->ptr())))
    return machine.raise(PyExc_TypeError, "__defaults__ must be set to a tuple object");
  const auto defaults = value.is_none() ? std::vector<AbstractValue>{} : list_items(state, value);
  state.heap.edit_as<FunctionObject>(function).defaults = defaults;
  return known_none();
}

Outcome set_function_attr(Machine& machine, State& state, ObjectRef function, const std::string& name,
                          const AbstractValue& value) {
  if (name == "__defaults__") return set_defaults(machine, state, function, value);
  const bool is_name = name == "__name__" || name == "__qualname__";
  if (is_name && !is_subtype(type_of(machine, state, value), builtin(PyUnicode_Type)))
    return machine.raise(PyExc_TypeError, fmt::format("{} must be set to a string object", name));
  const bool is_plain = is_name || name == "__doc__" || name == "__module__" ||
                        !type_attribute(builtin(PyFunction_Type), name).is_valid();
  if (!is_plain)
    machine.refuse(state, "python.attribute_write",
                   fmt::format("'{}' of a function that the program makes is written", name),
                   "define another function");
  state.heap.edit_as<FunctionObject>(function).attributes.insert_or_assign(name, value);
  return known_none();
}

}  // namespace

Outcome set_attr(Machine& machine, State& state, const AbstractValue& object, const std::string& name,
                 const AbstractValue& value) {
  if (state.heap.get<FunctionObject>(object) != nullptr)
    return set_function_attr(machine, state, *object.object(), name, value);
  if (state.heap.get<PartialObject>(object) != nullptr)
    machine.refuse(state, "python.attribute_write",
                   fmt::format("the attribute '{}' of a partial that the program makes is set", name),
                   "keep it in a variable");
  auto target = writable_receiver(machine, state, object, name);
  if (auto* outcome = std::get_if<Outcome>(&target)) return std::move(*outcome);
  const Receiver& receiver = std::get<Receiver>(target);
  if (is_frozen(receiver.type, name)) return frozen(machine, "assign to", name);
  if (const nb::object hook = user_hook(machine, state, receiver.type, "__setattr__"); hook.is_valid())
    return call(machine, state, known(hook), {{receiver.self, known_text(name), value}, {}});
  return set_plain_attr(machine, state, receiver, name, value);
}

Outcome delete_attr(Machine& machine, State& state, const AbstractValue& object, const std::string& name) {
  if (const auto* function = state.heap.get<FunctionObject>(object)) {
    if (name.starts_with("__") && !function->attributes.contains(name))
      machine.refuse(state, "python.attribute_write",
                     fmt::format("'{}' of a function that the program makes is deleted", name),
                     "define another function");
    if (!function->attributes.contains(name))
      return no_attribute(machine, type_of(machine, state, object), name);
    state.heap.edit_as<FunctionObject>(*object.object()).attributes.erase(name);
    return known_none();
  }
  auto target = writable_receiver(machine, state, object, name);
  if (auto* outcome = std::get_if<Outcome>(&target)) return std::move(*outcome);
  const Receiver& receiver = std::get<Receiver>(target);
  if (is_frozen(receiver.type, name)) return frozen(machine, "delete", name);
  if (const nb::object hook = user_hook(machine, state, receiver.type, "__delattr__"); hook.is_valid())
    return call(machine, state, known(hook), {{receiver.self, known_text(name)}, {}});
  return delete_plain_attr(machine, state, receiver, name);
}

}  // namespace dycl::partial_eval
