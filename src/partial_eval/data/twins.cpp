// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/data/twins.h"

#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"

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

Object twin(Machine& machine, const State& state, const nb::object& live) {
  if (PyList_CheckExact(live.ptr())) return ListObject{live_elements(live)};
  if (is_plain_dict(live)) {
    for (const auto& [key, value] : nb::cast<nb::dict>(live)) refuse_own_key(machine, state, key);
    return dict_twin(live);
  }
  if (PySet_CheckExact(live.ptr())) {
    return SetObject{live, type_of_live(live)};
  }
  if (is_plain_array(live)) return ArrayObject{live};
  const bool builtin_data = PyList_Check(live.ptr()) || PyDict_Check(live.ptr()) ||
                            PyAnySet_Check(live.ptr()) || PyByteArray_Check(live.ptr()) ||
                            !has_attribute(live, "__dict__");
  if (builtin_data && !has_attribute(live, "__slots__"))
    machine.refuse(state, "python.unsupported_container",
                   described(live) + " that exists before the call is written to",
                   "use a list, dict, set or an object with attributes");
  return InstanceObject{type_of_live(live), live, {}};
}

}  // namespace

ObjectRef twin_of(Machine& machine, State& state, const nb::object& live) {
  if (const ObjectRef* existing = state.overlay.find(live)) return *existing;
  if (machine.ownership.callers_objects.contains(live.ptr())) machine.refuse_write_to_caller(state);
  const bool is_container =
      PyList_Check(live.ptr()) || PyDict_Check(live.ptr()) || PyAnySet_Check(live.ptr()) || is_array(live);
  if (is_container && !machine.ownership.created.contains(live.ptr()))
    machine.refuse(state, "python.state_across_calls",
                   described(live) + " that exists before the call is changed: the next call would see it",
                   "make a new one in forward; if the first call fills it once and for all, call the model "
                   "before you compile it");
  if (machine.ownership.made_layers.contains(live.ptr()))
    machine.refuse(state, "python.module_in_forward",
                   "an attribute of a layer that is made while the program runs is written",
                   "give it to the layer when it is made");
  const ObjectRef made = state.heap.add(twin(machine, state, live));
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
