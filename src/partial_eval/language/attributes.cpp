// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/attributes.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <set>

#include "partial_eval/data/structures.h"
#include "partial_eval/data/twins.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/derived_containers.h"
#include "partial_eval/language/heap_attributes.h"
#include "partial_eval/static_calls/arrays.h"
#include "partial_eval/static_calls/static_call.h"
#include "partial_eval/torch/tensor_writes.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

nb::object checked(nb::object object) {
  if (!object.is_valid()) throw nb::python_error();
  return object;
}

nb::object live_attr(const nb::object& live, const std::string& name) {
  return checked(nb::steal(PyObject_GetAttr(live.ptr(), nb::str(name.c_str()).ptr())));
}

bool is_property(nb::handle descriptor) {
  return PyObject_TypeCheck(descriptor.ptr(), &PyProperty_Type) != 0 &&
         !python_method(descriptor.type(), "__get__").is_valid();
}

bool is_member(nb::handle descriptor) { return Py_TYPE(descriptor.ptr()) == &PyMemberDescr_Type; }

bool is_cached_property(nb::handle descriptor) {
  return type_of_live(descriptor).is(library_object("functools", "cached_property"));
}

// Writes to the dict of attributes that bypassed the object would not be seen.
void refuse_written_dict(const Machine& machine, const State& state, const nb::object& dict,
                         const std::string& name) {
  if (!dict.is_valid() || !state.overlay.contains(dict)) return;
  machine.refuse(
      state, "python.instance_dict",
      fmt::format("'{}' is read after the dict that holds the object's attributes was written to", name),
      "set attributes with `self.name = value`");
}

// torch.nn.Module looks into its tables only for what neither the object nor its class has, and only where
// the class has no __getattr__ of its own.
bool tables_are_asked(const nb::object& module, const std::string& name) {
  const nb::object hook = python_method(module.type(), "__getattr__");
  return !type_attribute(module.type(), name).is_valid() && hook.is_valid() &&
         module_name_of(hook) == "torch.nn.modules.module";
}

// What a table of a layer holds now; unbound: nothing under that name.
AbstractValue entry_of_table(const State& state, const nb::object& table, const std::string& name) {
  const ObjectRef* twin = state.overlay.find(table);
  if (twin == nullptr) {
    nb::object held = entry_or_null(table, name);
    return held.is_valid() ? known(std::move(held)) : AbstractValue();
  }
  const auto* dict = state.heap.get<DictObject>(AbstractValue(*twin));
  const auto place = dict->find(nb::str(name.c_str()));
  return place ? dict->entries[*place].second : AbstractValue();
}

// An attribute that the live object itself holds: its __dict__, a module's parameters, buffers, children;
// unbound: none.
AbstractValue own_live_attribute(const Machine& machine, const State& state, const nb::object& live,
                                 const std::string& name) {
  const nb::object dict = instance_dict(live);
  refuse_written_dict(machine, state, dict, name);
  if (nb::object found = entry_or_null(dict, name); found.is_valid()) return known(std::move(found));
  if (!machine.torch.is_module(live) || !tables_are_asked(live, name)) return {};
  return registered_attribute(state, live, name);
}

// Whether the attribute holds what the module's table holds under its name: a buffer that was written in
// place.
bool is_entry_of_table(const State& state, const nb::object& module, const char* table,
                       const std::string& name, const AbstractValue& value) {
  const nb::object entry = entry_or_null(entry_or_null(instance_dict(module), table), name);
  if (!entry.is_valid()) return false;
  const nb::object* live = value.constant();
  if (live != nullptr) return live->is(entry);
  const AbstractValue now = current(state, known(entry));
  return value.object() != nullptr && now.object() != nullptr && value.object()->id == now.object()->id;
}

// Whether torch.nn.Module would have put another entry into the table, or taken one out.
bool is_table_written(const Machine& machine, const State& state, const Receiver& receiver,
                      const std::string& table) {
  if (!receiver.object->forgotten.empty()) throw Restart{{}, receiver.object->forgotten};
  return std::ranges::any_of(receiver.object->attributes, [&](const auto& attribute) {
    const auto& [name, value] = attribute;
    const std::vector<const char*> tables = tables_of_written(machine, state, receiver.live, name, value);
    const auto found = std::ranges::find(tables, table);
    return name == table ||
           (found != tables.end() && !is_entry_of_table(state, receiver.live, *found, name, value));
  });
}

void refuse_tables_of_written(const Machine& machine, const State& state, const Receiver& receiver,
                              const std::string& name) {
  const bool of_live = receiver.live.is_valid();
  const bool is_module = machine.torch.is_module_class(receiver.type);
  const bool all = name == "__dict__" && (of_live || is_module);
  const bool table = of_live && machine.torch.is_module(receiver.live) &&
                     std::ranges::find(kModuleTables, name) != kModuleTables.end();
  if ((!all && !table) || receiver.object == nullptr) return;
  const bool any = !of_live || !receiver.object->attributes.empty() || !receiver.object->forgotten.empty();
  if (table ? !is_table_written(machine, state, receiver, name) : !any) return;
  machine.refuse(state, "python.instance_dict",
                 fmt::format("'{}' of a '{}' object that the program made or wrote to is read", name,
                             class_name(receiver.type)),
                 "read the attributes by their names");
}

// What is held under a name beside the object's `__dict__`, or in the table that stands for it.
const AbstractValue* slot_of(const Receiver& receiver, const std::string& name) {
  if (receiver.object == nullptr) return nullptr;
  if (receiver.object->forgotten.contains(name)) throw Restart{{}, {name}};
  return receiver.object->attributes.find(name);
}

// The Python code of a descriptor. Where it raises AttributeError, Python asks a __getattr__ of the class.
Outcome call_getter(Machine& machine, State& state, const Receiver& receiver, const nb::object& getter,
                    std::vector<AbstractValue> arguments, const std::string& name) {
  const nb::object fallback = attribute_hook(machine, state, receiver.type, "__getattr__");
  if (!fallback.is_valid() || is_library(fallback))
    return call(machine, state, known(getter), {std::move(arguments), {}});
  const AbstractValue given = make_tuple(machine, state, std::move(arguments));
  return call_prelude(machine, state, "get_or_fall_back",
                      {{known(getter), given, known(fallback), receiver.self, known_text(name)}, {}});
}

Outcome property_value(Machine& machine, State& state, const Receiver& receiver, const nb::object& property,
                       const std::string& name) {
  const nb::object getter = property.attr("fget");
  if (getter.is_none())
    return machine.raise(PyExc_AttributeError, fmt::format("property '{}' of '{}' object has no getter", name,
                                                           class_name(receiver.type)));
  return call_getter(machine, state, receiver, getter, {receiver.self}, name);
}

Outcome member_of_made(const Machine& machine, const State& state, const Receiver& receiver,
                       const nb::object& descriptor, const std::string& name) {
  if (name == "__class__") return known(receiver.type);
  if (is_exception_type(receiver.type)) {
    if (name == "value" && is_subtype(receiver.type, PyExc_StopIteration)) {
      const AbstractValue& args = receiver.object->attributes.at("args");
      const auto* tuple = state.heap.get<TupleObject>(args);
      if (tuple != nullptr && !tuple->items.empty()) return tuple->items[0];
      const nb::object* live = args.constant();
      return live != nullptr && nb::len(*live) > 0 ? known((*live)[0]) : known_none();
    }
    machine.refuse(state, "python.exception_attribute",
                   fmt::format("'{}' of an exception is not modelled", name), "use its args");
  }
  if (is_member(descriptor)) return no_attribute(machine, receiver.type, name);
  machine.refuse(state, "python.attribute",
                 fmt::format("'{}' of a '{}' object made during the run is not modelled", name,
                             class_name(receiver.type)));
}

// `name` and `value`, as the standard library defines them.
bool is_field_of_enumeration(const Receiver& receiver, const nb::object& descriptor) {
  if (!receiver.live.is_valid() || receiver.object != nullptr || !is_member_of_enumeration(receiver.live))
    return false;
  const nb::object getter = attribute_or_null(descriptor, "fget");
  return module_name_of(type_of_live(descriptor)) == "enum" &&
         (!getter.is_valid() || getter.is_none() || is_library(getter));
}

Outcome data_descriptor_value(Machine& machine, State& state, const Receiver& receiver,
                              const nb::object& descriptor, const std::string& name) {
  if (is_property(descriptor)) return property_value(machine, state, receiver, descriptor, name);
  if (const nb::object getter = python_method(type_of_live(descriptor), "__get__");
      getter.is_valid() && !is_field_of_enumeration(receiver, descriptor))
    return call_getter(machine, state, receiver, getter,
                       {known(descriptor), receiver.self, known(receiver.type)}, name);
  if (name == "__dict__" && !receiver.live.is_valid() && !is_exception_type(receiver.type))
    return attribute_dict(machine, state, receiver);
  if (const AbstractValue* written = slot_of(receiver, name)) {
    if (written->bound()) return current(state, *written);
    return no_attribute(machine, receiver.type, name);
  }
  if (!receiver.live.is_valid()) return member_of_made(machine, state, receiver, descriptor, name);
  const bool of_slot = is_member(descriptor) ||
                       class_name(type_of_live(descriptor)).ends_with("_tuplegetter") || name == "__dict__" ||
                       name == "__class__";
  const nb::object owner = attribute_or_null(descriptor, "__objclass__");
  if (!of_slot && (!owner.is_valid() || !(is_library(owner) || module_name_of(owner) == "builtins")) &&
      !is_field_of_enumeration(receiver, descriptor))
    machine.refuse(state, "python.attribute",
                   fmt::format("the attribute '{}' of a '{}' object is computed by code that DyCL cannot see",
                               name, class_name(receiver.type)),
                   "read it in __init__ and keep the value");
  return current(state, known(live_attr(receiver.live, name)));
}

// What the object itself holds, the heap's word first.
std::optional<AbstractValue> own_attribute(const Machine& machine, const State& state,
                                           const Receiver& receiver, const std::string& name) {
  if (const AbstractValue* written = written_attribute(receiver, name)) {
    if (!written->bound()) return std::nullopt;
    return current(state, *written);
  }
  if (!receiver.live.is_valid()) return std::nullopt;
  const AbstractValue found = own_live_attribute(machine, state, receiver.live, name);
  return found.bound() ? std::optional(current(state, found)) : std::nullopt;
}

bool is_deleted(const Receiver& receiver, const std::string& name) {
  const AbstractValue* written = written_attribute(receiver, name);
  return written != nullptr && !written->bound();
}

// Those of layers and of torch.ops look into tables.
bool is_attribute_hook_of_torch(nb::handle hook) {
  const std::string module = module_name_of(hook);
  return module == "torch.nn.modules.module" || module == "torch._ops" || module == "torch._classes";
}

Outcome missing_attribute(Machine& machine, State& state, const Receiver& receiver, const std::string& name) {
  const nb::object fallback = attribute_hook(machine, state, receiver.type, "__getattr__");
  if (fallback.is_valid() && !is_attribute_hook_of_torch(fallback))
    return call(machine, state, known(fallback), {{receiver.self, known_text(name)}, {}});
  const bool is_gone = is_deleted(receiver, name) || has_written_tables(state, receiver.live);
  if (receiver.live.is_valid() && !is_gone)
    return current(state, known(live_attr(receiver.live, name)));  // or CPython's AttributeError
  if (machine.torch.is_module_class(receiver.type) &&
      entry_or_null(instance_dict(machine.torch.blank_module()), name).is_valid())
    machine.refuse(
        state, "python.module_in_forward",
        fmt::format("'{}' of a {} that the program made is read", name, full_name_of(receiver.type)),
        "construct the module in __init__");
  return no_attribute(machine, receiver.type, name);
}

Outcome bound_or_missing(Machine& machine, State& state, const Receiver& receiver,
                         const nb::object& descriptor, const std::string& name) {
  if (const nb::object getter = python_method(type_of_live(descriptor), "__get__");
      getter.is_valid() && !is_library(getter))
    return call_getter(machine, state, receiver, getter,
                       {known(descriptor), receiver.self, known(receiver.type)}, name);
  try {
    return bind_descriptor(machine, state, descriptor, receiver.self, receiver.type, name);
  } catch (nb::python_error& error) {  // of a __get__ of the library's
    if (!error.matches(PyExc_AttributeError) || !type_attribute(receiver.type, "__getattr__").is_valid())
      throw;
  }
  return missing_attribute(machine, state, receiver, name);
}

Outcome super_attribute(Machine& machine, State& state, const SuperObject& super, const std::string& name) {
  const nb::object* live = super.self.constant();
  const bool of_class = live != nullptr && PyType_Check(live->ptr()) && is_subtype(*live, super.type);
  const nb::object start = of_class ? *live : type_of(machine, state, super.self);
  bool behind = false;
  for (const nb::handle base : nb::borrow<nb::tuple>(start.attr("__mro__"))) {
    if (behind) {
      const nb::object found = class_entry(base, name);
      if (found.is_valid() && of_class)
        return known(PyFunction_Check(found.ptr()) || !has_attribute(found, "__get__")
                         ? found
                         : nb::object(found.attr("__get__")(nb::none(), start)));
      // Methods of object bound to a live instance must stay recognisable: see call_object_method.
      if (found.is_valid() && (Py_TYPE(found.ptr()) == &PyWrapperDescr_Type))
        return state.make(MethodObject{super.self, known(found)});
      if (found.is_valid()) return bind_descriptor(machine, state, found, super.self, start, name);
    }
    behind = behind || base.is(super.type);
  }
  return machine.raise(PyExc_AttributeError, fmt::format("'super' object has no attribute '{}'", name));
}

// What a module holds, or its __getattr__ finds.
Outcome module_attribute(Machine& machine, State& state, const nb::object& module, const std::string& name) {
  const nb::object of_class = type_attribute(module.type(), name);
  if (of_class.is_valid() && is_property(of_class) && !is_library(of_class.attr("fget")))
    return call(machine, state, known(of_class.attr("fget")), {{known(module)}, {}});
  const nb::object own = entry_or_null(instance_dict(module), name);
  if (own.is_valid()) return current(state, known(own));
  const nb::object hook = entry_or_null(instance_dict(module), "__getattr__");
  const nb::object method = python_method(module.type(), "__getattr__");
  if (hook.is_valid() && !is_library(hook))
    return call(machine, state, known(hook), {{known_text(name)}, {}});
  if (method.is_valid() && !is_attribute_hook_of_torch(method))
    return call(machine, state, known(method), {{known(module), known_text(name)}, {}});
  return current(state, known(live_attr(module, name)));
}

// An attribute of a class, of which a descriptor of the user's may make something else.
Outcome class_attribute(Machine& machine, State& state, const nb::object& type, const std::string& name) {
  const nb::object meta = type_attribute(type_of_live(type), name);
  if (meta.is_valid() && is_data_descriptor(meta))
    if (const nb::object getter = python_method(type_of_live(meta), "__get__");
        getter.is_valid() && !is_library(getter))
      return call(machine, state, known(getter), {{known(meta), known(type), known(type_of_live(type))}, {}});
  if (meta.is_valid() && is_property(meta) && !is_library(meta.attr("fget")))
    return call(machine, state, known(meta.attr("fget")), {{known(type)}, {}});
  const nb::object found = type_attribute(type, name);
  if (found.is_valid()) {
    const nb::object getter = python_method(type_of_live(found), "__get__");
    if (getter.is_valid() && !is_library(getter))
      return call(machine, state, known(getter), {{known(found), known_none(), known(type)}, {}});
  }
  const nb::object hook = python_method(type_of_live(type), "__getattr__");
  if (!found.is_valid() && !meta.is_valid() && hook.is_valid() && !is_library(hook))
    return call(machine, state, known(hook), {{known(type), known_text(name)}, {}});
  return current(state, known(live_attr(type, name)));
}

// x.data and x.T of a tensor that the program made are the program's own, too.
nb::object tensor_attribute(Machine& machine, State& state, const nb::object& live, const std::string& name) {
  nb::object found = live_attr(live, name);
  if (machine.torch.is_tensor(found) && machine.ownership.created.contains(live))
    note_made(machine, state, found);
  return found;
}

Outcome live_attribute(Machine& machine, State& state, const nb::object& live, const std::string& name) {
  if (PyModule_Check(live.ptr())) return module_attribute(machine, state, live, name);
  // What torch.jit made is refused where it is called.
  if (machine.torch.is_script(live)) return current(state, known(live_attr(live, name)));
  if (PyType_Check(live.ptr())) return class_attribute(machine, state, live, name);
  if (is_plain_tensor(live)) return current(state, known(tensor_attribute(machine, state, live, name)));
  static const std::set<std::string> kOfRaising{"__traceback__", "__context__", "__cause__",
                                                "__suppress_context__"};
  if (PyExceptionInstance_Check(live.ptr()) && kOfRaising.contains(name))
    machine.refuse(state, "python.exception_attribute",
                   fmt::format("'{}' of an exception is not modelled", name), "use its args");
  return instance_attribute(machine, state, *receiver_of(state, known(live)), name);
}

}  // namespace

std::optional<Receiver> receiver_of(const State& state, const AbstractValue& given) {
  const AbstractValue value = current(state, given);
  if (const nb::object* live = value.constant()) return Receiver{value, type_of_live(*live), *live, nullptr};
  const auto* instance = state.heap.get<InstanceObject>(value);
  if (instance == nullptr) return std::nullopt;
  // Bound methods of a live object stay live: its twin is found again whenever it is read.
  AbstractValue self = instance->live.is_valid() ? known(instance->live) : value;
  const AbstractValue* dict = instance->attributes.find(kDict);
  return Receiver{std::move(self), instance->type, instance->live, instance,
                  dict == nullptr ? nullptr : state.heap.get<DictObject>(*dict)};
}

const AbstractValue* written_attribute(const Receiver& receiver, const std::string& name) {
  if (receiver.object == nullptr) return nullptr;
  if (const AbstractValue* found = slot_of(receiver, name)) return found;
  if (receiver.dict == nullptr) return nullptr;
  const auto found = receiver.dict->find(nb::str(name.c_str()));
  return found ? &receiver.dict->entries[*found].second : nullptr;
}

AbstractValue registered_attribute(const State& state, const nb::object& layer, const std::string& name) {
  const nb::object dict = instance_dict(layer);
  for (const char* table : kModuleTables)
    if (AbstractValue found = entry_of_table(state, entry_or_null(dict, table), name); found.bound())
      return found;
  return {};
}

bool has_written_tables(const State& state, const nb::object& layer) {
  if (!layer.is_valid() || state.overlay.empty()) return false;
  const nb::object dict = instance_dict(layer);
  return std::ranges::any_of(kModuleTables, [&](const char* name) {
    const nb::object table = entry_or_null(dict, name);
    return table.is_valid() && state.overlay.contains(table);
  });
}

AbstractValue attribute_dict(Machine& machine, State& state, const Receiver& receiver) {
  if (const AbstractValue* dict = receiver.object->attributes.find(kDict)) return *dict;
  if (receiver.object->unordered)
    machine.refuse(state, "python.instance_dict",
                   fmt::format("'__dict__' of a '{}' object is read, whose attributes were set in different "
                               "orders on different paths",
                               class_name(receiver.type)),
                   "set them in one order, or read them by their names");
  DictObject dict{{}, builtin(PyDict_Type), {}};
  AttributeTable kept;
  for (const auto& [name, value] : receiver.object->attributes) {
    const nb::object descriptor = type_attribute(receiver.type, name);
    if (name.starts_with('<') || (descriptor.is_valid() && is_member(descriptor)))
      kept.set(name, value);
    else if (value.bound())
      dict.entries.emplace_back(nb::str(name.c_str()), value);
  }
  const ObjectRef owner = *receiver.self.object();
  const AbstractValue made = state.make(std::move(dict));
  kept.set(kDict, made);
  state.heap.edit_as<InstanceObject>(owner).attributes = std::move(kept);
  return made;
}

Outcome instance_attribute(Machine& machine, State& state, const Receiver& receiver,
                           const std::string& name) {
  refuse_tables_of_written(machine, state, receiver, name);
  const nb::object descriptor = type_attribute(receiver.type, name);
  if (descriptor.is_valid() && is_data_descriptor(descriptor))
    return data_descriptor_value(machine, state, receiver, descriptor, name);
  if (auto own = own_attribute(machine, state, receiver, name)) return std::move(*own);
  if (descriptor.is_valid()) return bound_or_missing(machine, state, receiver, descriptor, name);
  return missing_attribute(machine, state, receiver, name);
}

Outcome bind_descriptor(Machine& machine, State& state, const nb::object& descriptor,
                        const AbstractValue& self, const nb::object& type, const std::string& name) {
  const nb::object* live = self.constant();
  if (PyFunction_Check(descriptor.ptr())) {
    if (live == nullptr) return state.make(MethodObject{self, known(descriptor)});
    return known(checked(nb::steal(PyMethod_New(descriptor.ptr(), live->ptr()))));
  }
  if (is_property(descriptor)) {
    if (auto receiver = receiver_of(state, self))
      return property_value(machine, state, *receiver, descriptor, name);
    return call(machine, state, known(descriptor.attr("fget")), {{self}, {}});
  }
  if (is_cached_property(descriptor)) {
    const nb::object function = descriptor.attr("func");
    return call_prelude(machine, state, "cached_property_value",
                        {{known(function), self, known_text(name)}, {}});
  }
  const nb::object kind = type_of_live(descriptor);
  if (Py_TYPE(descriptor.ptr())->tp_descr_get == nullptr) return current(state, known(descriptor));
  if (const nb::object getter = python_method(kind, "__get__"); getter.is_valid())
    return call(machine, state, known(getter), {{known(descriptor), self, known(type)}, {}});
  const bool of_class = kind.is(builtin(PyStaticMethod_Type)) || kind.is(builtin(PyClassMethod_Type)) ||
                        kind.is(builtin(PyClassMethodDescr_Type));
  if (of_class) return known(descriptor.attr("__get__")(nb::none(), type));
  if (live != nullptr) return current(state, known(descriptor.attr("__get__")(*live, type)));
  if (kind.is(builtin(PyMethodDescr_Type)) || kind.is(builtin(PyWrapperDescr_Type)))
    return state.make(MethodObject{self, known(descriptor)});
  machine.refuse(state, "python.attribute",
                 fmt::format("the attribute '{}' of a '{}' object is a {}, which is not modelled", name,
                             class_name(type), class_name(kind)));
}

void note_read(Machine& machine, const State& state, const nb::object& live, const std::string& name) {
  const bool is_table =
      std::ranges::find(kModuleTables, name) != kModuleTables.end() && machine.torch.is_module(live);
  const bool is_variable = name == "cell_contents" && PyCell_Check(live.ptr());
  const std::string key = name == "__dict__" ? kAllAttributes
                          : is_table         ? key_of_table(name)
                          : is_variable      ? kCellContents
                                             : name;
  machine.across_calls.live_reads.try_emplace({live.ptr(), key}, machine.spans(state));
  const nb::object attributes = is_table || name == "__dict__" ? instance_dict(live) : nb::object();
  const nb::object shown = is_table ? entry_or_null(attributes, name) : attributes;
  if (shown.is_valid()) machine.across_calls.shown_dicts.insert(shown);
}

Outcome get_attr(Machine& machine, State& state, const AbstractValue& object, const std::string& name) {
  const AbstractValue value = current(state, object);
  if (is_any_array(state, value)) return array_attribute(machine, state, value, name);
  if (const auto* super = state.heap.get<SuperObject>(value))
    return super_attribute(machine, state, SuperObject(*super), name);
  const auto receiver = receiver_of(state, value);
  if (!receiver) return heap_attribute(machine, state, value, name);
  if (const nb::object hook = attribute_hook(machine, state, receiver->type, "__getattribute__");
      hook.is_valid() && !is_library(hook)) {
    if (attribute_hook(machine, state, receiver->type, "__getattr__").is_valid())
      machine.refuse(state, "python.getattribute",
                     fmt::format("the class {} defines both __getattribute__ and __getattr__",
                                 full_name_of(receiver->type)),
                     "keep one of them");
    return call(machine, state, known(hook), {{receiver->self, known_text(name)}, {}});
  }
  const bool is_live = receiver->live.is_valid() && written_attribute(*receiver, name) == nullptr;
  if (is_live || (receiver->object != nullptr && receiver->object->from_live.contains(name)))
    note_read(machine, state, receiver->live, name);
  if (receiver->object == nullptr) return live_attribute(machine, state, receiver->live, name);
  return instance_attribute(machine, state, *receiver, name);
}

nb::object attribute_hook(const Machine& machine, const State& state, nb::handle type, const char* name) {
  nb::object method = type_attribute(type, name);
  const bool is_bound = method.is_valid() && (Py_IS_TYPE(method.ptr(), &PyMethodDescr_Type) ||
                                              Py_IS_TYPE(method.ptr(), &PyWrapperDescr_Type));
  if (is_bound && is_borrowed(type, name)) return method;
  refuse_odd_special(machine, state, type, name);
  return python_method(type, name);
}

void refuse_odd_special(const Machine& machine, const State& state, nb::handle type, const char* name) {
  const nb::object method = type_attribute(type, name);
  if (!method.is_valid() || PyFunction_Check(method.ptr())) return;
  if (method.is_none() && std::string_view(name) == "__hash__")
    return;  // as every class with an __eq__ has it
  const bool is_module_class = machine.torch.is_module_class(type);
  if (is_of_c(method) ? !is_borrowed(type, name) : is_module_class || is_library(type)) return;
  machine.refuse(state, "python.special_method",
                 fmt::format("the method {} of {} is a {}, which is not modelled", name, full_name_of(type),
                             class_name(type_of_live(method))),
                 "define it with def");
}

std::optional<Outcome> call_special(Machine& machine, State& state, const AbstractValue& self,
                                    const char* name, Arguments arguments, OnReturn on_return) {
  const nb::object method = type_attribute(type_of(machine, state, self), name);
  refuse_odd_special(machine, state, type_of(machine, state, self), name);
  if (!method.is_valid() || method.is_none()) return std::nullopt;
  const nb::object* live = self.constant();
  if (!PyFunction_Check(method.ptr())) {
    if (inner_container(state, self).bound()) {
      arguments.positional.insert(arguments.positional.begin(), self);
      return call_container_method(machine, state, method, arguments);
    }
    // What a C type's own __call__ may do is told by the callee, not by the type.
    if (live == nullptr || std::string_view(name) == "__call__" || !all_live(arguments)) return std::nullopt;
    arguments.positional.insert(arguments.positional.begin(), self);
    return call_static(machine, state, method, arguments);
  }
  arguments.positional.insert(arguments.positional.begin(), self);
  return call(machine, state, known(method), std::move(arguments), on_return);
}

}  // namespace dycl::partial_eval
