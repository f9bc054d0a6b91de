// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/data/containers.h"

#include "partial_eval/data/structures.h"
#include "partial_eval/data/twins.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"
#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {
namespace {

nb::object view_type(const std::string& kind) {
  const nb::object empty = nb::dict();
  return nb::borrow(nb::object(empty.attr(kind.c_str())()).type());
}

}  // namespace

bool is_list(const State& state, const AbstractValue& value) {
  if (state.heap.get<ListObject>(value) != nullptr) return true;
  const nb::object* live = value.constant();
  return live != nullptr && PyList_CheckExact(live->ptr());
}

bool is_any_list(const State& state, const AbstractValue& value) {
  const auto* sequence = state.heap.get<SequenceObject>(value);
  return sequence != nullptr ? !sequence->is_tuple : is_list(state, value);
}

bool is_dict(const State& state, const AbstractValue& value) {
  if (state.heap.get<DictObject>(value) != nullptr) return true;
  const nb::object* live = value.constant();
  return live != nullptr && PyDict_Check(live->ptr()) != 0 && !is_user_method(live->type(), "__getitem__") &&
         !is_user_method(live->type(), "__setitem__") && !is_user_method(live->type(), "__missing__");
}

bool is_copied_at_once(const State& state, const AbstractValue& value) {
  const nb::object* live = value.constant();
  return is_dict(state, value) && (live == nullptr || is_copied_as_it_is(*live));
}

bool is_set(const State& state, const AbstractValue& value) {
  if (state.heap.get<SetObject>(value) != nullptr) return true;
  const nb::object* live = value.constant();
  return live != nullptr && PyAnySet_CheckExact(live->ptr());
}

std::vector<AbstractValue> list_items(const State& state, const AbstractValue& list) {
  std::vector<AbstractValue> items;
  if (const auto* object = state.heap.get<ListObject>(list)) items = object->items;
  if (const auto* object = state.heap.get<TupleObject>(list)) items = object->items;
  if (const nb::object* live = list.constant())
    for (const nb::handle item : *live) items.push_back(known(nb::borrow(item)));
  for (AbstractValue& item : items) item = current(state, item);
  return items;
}

std::vector<std::pair<nb::object, AbstractValue>> dict_entries(const State& state,
                                                               const AbstractValue& dict) {
  std::vector<std::pair<nb::object, AbstractValue>> entries;
  if (const auto* object = state.heap.get<DictObject>(dict)) {
    entries = object->entries;
  } else {
    for (const auto& [key, value] : nb::cast<nb::dict>(*dict.constant()))
      entries.emplace_back(nb::borrow(key), known(nb::borrow(value)));
  }
  for (auto& [key, value] : entries) value = current(state, value);
  return entries;
}

std::size_t dict_size(const State& state, const AbstractValue& dict) {
  if (const auto* object = state.heap.get<DictObject>(dict)) return object->entries.size();
  return static_cast<std::size_t>(PyDict_Size(dict.constant()->ptr()));  // whatever its __len__ says
}

const nb::object& set_contents(const State& state, const AbstractValue& set) {
  const auto* object = state.heap.get<SetObject>(set);
  return object != nullptr ? object->contents : *set.constant();
}

std::vector<nb::object> set_items(const State& state, const AbstractValue& set) {
  std::vector<nb::object> items;
  for (const nb::handle item : set_contents(state, set)) items.push_back(nb::borrow(item));
  return items;
}

void need_order(const Machine& machine, const State& state, const AbstractValue& set) {
  const auto* object = state.heap.get<SetObject>(set);
  if (object == nullptr || PySet_GET_SIZE(object->contents.ptr()) < 2) return;
  if (object->order) throw Restart{*object->order};
  if (object->is_unordered)
    machine.refuse(state, "python.set_order",
                   "the order in which CPython walks this set of constants is not known, since hashes of its "
                   "elements collide",
                   "walk a tuple or a list, or sorted(…)");
}

AbstractValue new_set(State& state, const nb::object& contents, std::span<const AbstractValue> made_of) {
  SetObject set{contents, nb::borrow(contents.type())};
  for (const AbstractValue& value : made_of) add_disorder(state, set, value);
  return state.make(std::move(set));
}

void add_disorder(const State& state, SetObject& set, const AbstractValue& other) {
  const auto* given = state.heap.get<SetObject>(current(state, other));
  if (given == nullptr) return;
  set.order = united(set.order, given->order);
  set.is_unordered = set.is_unordered || given->is_unordered;
}

AbstractValue new_list(State& state, std::vector<AbstractValue> items) {
  return state.make(ListObject{std::move(items)});
}

AbstractValue new_tuple(Machine& machine, State& state, std::vector<AbstractValue> items) {
  return make_tuple(machine, state, std::move(items));
}

AbstractValue new_dict(State& state) {
  return state.make(DictObject{{}, nb::borrow(reinterpret_cast<PyObject*>(&PyDict_Type)), {}});
}

ObjectRef writable(Machine& machine, State& state, const AbstractValue& container) {
  if (const ObjectRef* ref = container.object()) return *ref;
  return twin_of(machine, state, *container.constant());
}

std::vector<nb::object> keys_of(const State& state, const AbstractValue& container) {
  if (is_set(state, container)) return set_items(state, container);
  std::vector<nb::object> keys;
  for (const auto& [key, value] : dict_entries(state, container)) keys.push_back(key);
  return keys;
}

nb::object hashable(Machine& machine, State& state, const AbstractValue& key, const char* role) {
  const auto* instance = state.heap.get<InstanceObject>(key);
  if (instance != nullptr && instance->live.is_valid() && !is_user_method(instance->type, "__hash__"))
    return instance->live;
  if (state.heap.get<TensorObject>(key) != nullptr)
    machine.refuse(state, "python.tensor_as_key", std::string("a tensor is ") + role,
                   "tensors are told apart by identity; use a number or a str");
  nb::object object = machine.need(
      state, key, role, "compare the numbers with == in a list, or use tensors (torch.unique, masks)");
  refuse_own_key(machine, state, object);
  if (PyObject_Hash(object.ptr()) == -1) throw nb::python_error();
  return object;
}

AbstractValue make_view(State& state, const AbstractValue& dict, const std::string& kind) {
  return state.make(InstanceObject{view_type(kind), {}, {{"mapping", dict}}});
}

std::optional<DictView> view_of(const State& state, const AbstractValue& value) {
  const auto* instance = state.heap.get<InstanceObject>(value);
  if (instance == nullptr) return std::nullopt;
  for (const char* kind : {"keys", "values", "items"})
    if (instance->type.is(view_type(kind)))
      return DictView{current(state, instance->attributes.at("mapping")), kind};
  return std::nullopt;
}

}  // namespace dycl::partial_eval
