// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/data/twins.h"

#include <algorithm>

#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"
#include "partial_eval/values/same_static.h"

namespace dycl::partial_eval {
namespace {

bool is_plain_dict(nb::handle live) {
  const nb::module_ collections = nb::module_::import_("collections");
  const nb::handle type = live.type();
  return type.is(reinterpret_cast<PyObject*>(&PyDict_Type)) || type.is(collections.attr("OrderedDict")) ||
         type.is(collections.attr("defaultdict"));
}

Object dict_twin(nb::handle live) {
  DictObject dict{{}, type_of_live(live), {}};
  for (const auto& [key, value] : nb::cast<nb::dict>(live))
    dict.entries.emplace_back(nb::borrow(key), known(nb::borrow(value)));
  if (has_attribute(live, "default_factory")) dict.default_factory = known(live.attr("default_factory"));
  return dict;
}

// Of the class that stands for deques in the prelude.
Object deque_twin(Machine& machine, State& state, const nb::object& live) {
  InstanceObject deque{machine.torch.prelude_function("Deque"), {}, {}};
  deque.attributes.set("<maxlen>", known(live.attr("maxlen")));
  deque.attributes.set("<items>", state.make(ListObject{live_elements(live)}));
  deque.attributes.set("<version>", state.make(ListObject{}));
  return deque;
}

}  // namespace

Object contents_of_live(Machine& machine, State& state, const nb::object& live) {
  if (PyList_CheckExact(live.ptr())) return ListObject{live_elements(live)};
  if (is_plain_dict(live)) {
    for (const auto& [key, value] : nb::cast<nb::dict>(live)) refuse_own_key(machine, state, key);
    return dict_twin(live);
  }
  if (PySet_CheckExact(live.ptr())) {
    return SetObject{live, type_of_live(live)};
  }
  if (is_plain_array(live)) return ArrayObject{live};
  if (is_live_deque(live)) return deque_twin(machine, state, live);
  const bool builtin_data = PyList_Check(live.ptr()) || PyDict_Check(live.ptr()) ||
                            PyAnySet_Check(live.ptr()) || PyByteArray_Check(live.ptr()) ||
                            !has_attribute(live, "__dict__");
  if (builtin_data && !has_attribute(live, "__slots__"))
    machine.refuse(state, "python.unsupported_container",
                   described(live) + " that exists before the call is written to",
                   "use a list, dict, set or an object with attributes, or make a new one in forward");
  return InstanceObject{type_of_live(live), live, {}};
}

bool is_written(const State& state, nb::handle live) {
  const ObjectRef* twin = state.overlay.find(live);
  if (twin == nullptr) return false;
  const auto* dict = state.heap.get<DictObject>(AbstractValue(*twin));
  if (dict == nullptr || dict->entries.size() != nb::cast<nb::dict>(live).size()) return true;
  std::size_t place = 0;
  for (const auto& [key, held] : nb::cast<nb::dict>(live)) {
    const auto& [key_now, value] = dict->entries[place++];
    const nb::object* now = value.constant();
    if (!same_key(key_now, nb::borrow(key)) || now == nullptr || !now->is(held)) return true;
  }
  return false;
}

bool is_live_deque(nb::handle live) { return type_of_live(live).is(library_object("collections", "deque")); }

bool is_live_container(nb::handle live) {
  return PyList_Check(live.ptr()) || PyDict_Check(live.ptr()) || PyAnySet_Check(live.ptr()) ||
         is_array(live) || is_live_deque(live);
}

nb::object held_attribute(const Machine& machine, const nb::object& owner, const std::string& name) {
  const nb::object descriptor = type_attribute(owner.type(), name);
  if (descriptor.is_valid() && Py_TYPE(descriptor.ptr()) == &PyMemberDescr_Type)
    return attribute_or_null(owner, name.c_str());
  const nb::object dict = instance_dict(owner);
  nb::object found = entry_or_null(dict, name);
  if (found.is_valid() || !machine.torch.is_module(owner)) return found;
  for (const char* table : kModuleTables) {
    found = entry_or_null(entry_or_null(dict, table), name);
    if (found.is_valid()) return found;
  }
  return {};
}

namespace {

// Also where the program has written to it, and the heap has its contents.
bool is_parameter(const State& state, const AbstractValue& value) {
  const nb::object parameter = library_object("torch.nn", "Parameter");
  if (const nb::object* live = value.constant()) return nb::isinstance(*live, parameter);
  return std::ranges::any_of(state.overlay.entries(), [&](const auto& entry) {
    return value.object() != nullptr && entry.value.id == value.object()->id &&
           nb::isinstance(entry.object, parameter);
  });
}

bool is_layer(const Machine& machine, const State& state, const AbstractValue& value) {
  if (const nb::object* live = value.constant()) return machine.torch.is_module(*live);
  const auto* instance = state.heap.get<InstanceObject>(value);
  return instance != nullptr && machine.torch.is_module_class(instance->type);
}

}  // namespace

std::vector<const char*> tables_of_written(const Machine& machine, const State& state,
                                           const nb::object& layer, const std::string& name,
                                           const AbstractValue& value) {
  std::vector<const char*> written;
  if (!machine.torch.is_module(layer)) return written;
  if (value.bound() && is_layer(machine, state, value)) written.push_back("_modules");
  if (value.bound() && is_parameter(state, value)) written.push_back("_parameters");
  for (const char* table : kModuleTables)
    if (entry_or_null(entry_or_null(instance_dict(layer), table), name).is_valid()) written.push_back(table);
  return written;
}

ObjectRef twin_of(Machine& machine, State& state, const nb::object& live) {
  if (const ObjectRef* existing = state.overlay.find(live)) return *existing;
  if (machine.ownership.callers_objects.contains(live)) machine.write_to_caller(state);
  const bool is_old = is_live_container(live) && !machine.ownership.created.contains(live);
  if (is_old && is_array(live))
    machine.refuse(state, "python.state_across_calls",
                   described(live) + " that exists before the call is changed: the next call would see it",
                   "make a new one in forward, or keep a tensor in its place");
  if (is_old) machine.across_calls.first_writes.try_emplace(live.ptr(), machine.spans(state));
  const ObjectRef made = state.heap.add(contents_of_live(machine, state, live));
  state.overlay.set(live, made);
  return made;
}

void refuse_own_key(const Machine& machine, const State& state, nb::handle key) {
  if (is_plain_key(key) || !has_attribute(key, "__hash__") || key.type().attr("__hash__").is_none()) return;
  machine.refuse(
      state, "python.own_key",
      "a " + class_name(key.type()) + " is a key, and its class defines how it is hashed or compared",
      "use a number, a str or a tuple of them as the key");
}

}  // namespace dycl::partial_eval
