// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "partial_eval/builtins/native_call.h"
#include "partial_eval/data/structures.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

// A context manager of torch, or nullcontext: exceptions pass it.
bool never_suppresses(const State& state, const AbstractValue& manager) {
  nb::object type;
  if (const nb::object* live = manager.constant()) type = nb::borrow(live->type());
  if (const auto* instance = state.heap.get<InstanceObject>(manager)) type = instance->type;
  if (!type.is_valid()) return false;
  return root_of(module_name_of(type)) == "torch" || type.is(library_object("contextlib", "nullcontext"));
}

bool catches(const State& state, const Frame& frame, const program::Handler& handler) {
  const program::Block& block = frame.function->ir.block(handler.target);
  const auto* leaves = std::get_if<program::Branch>(&block.terminator);
  for (const program::Instruction& instruction : block.instructions) {
    if (instruction.op != program::Op::ExitContext || leaves == nullptr) continue;
    if (!never_suppresses(state, frame.registers[instruction.operands[0].index()])) return true;
    const program::Block& onwards = frame.function->ir.block(leaves->else_target);
    if (!std::holds_alternative<program::Reraise>(onwards.terminator)) return true;
    return onwards.handler.has_value() && catches(state, frame, *onwards.handler);
  }
  return true;
}

nb::object view_type(const std::string& kind) {
  const nb::object empty = nb::dict();
  return nb::borrow(nb::object(empty.attr(kind.c_str())()).type());
}

}  // namespace

bool NativeCall::all_known() const {
  const auto unknown = [&](const AbstractValue& value) { return value.constant() == nullptr; };
  return std::none_of(arguments.positional.begin(), arguments.positional.end(), unknown) &&
         std::none_of(arguments.keywords.begin(), arguments.keywords.end(),
                      [&](const auto& keyword) { return unknown(keyword.second); });
}

nb::object owned(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

void throw_python(PyObject* type, const std::string& message) {
  PyErr_SetString(type, message.c_str());
  throw nb::python_error();
}

void throw_python(PyObject* type, const nb::object& argument) {
  PyErr_SetObject(type, nb::make_tuple(argument).ptr());
  throw nb::python_error();
}

std::string type_name(Machine& machine, const State& state, const AbstractValue& value) {
  return reinterpret_cast<PyTypeObject*>(type_of(machine, state, value).ptr())->tp_name;
}

bool is_user_method(nb::handle type, const char* name) {
  if (!PyObject_HasAttrString(type.ptr(), name)) return false;
  const nb::object method = type.attr(name);
  if (PyFunction_Check(method.ptr()) == 0) return false;
  const std::string module = nb::cast<std::string>(nb::str(method.attr("__module__")));
  static constexpr std::array kOwn{"torch", "collections", "enum", "typing", "types", "_collections_abc"};
  const std::string root = module.substr(0, module.find('.'));
  return std::find(kOwn.begin(), kOwn.end(), root) == kOwn.end();
}

AbstractValue known_int(std::int64_t number) { return known(nb::int_(number)); }

std::optional<std::int64_t> known_index(const AbstractValue& value) {
  const nb::object* object = value.constant();
  if (object == nullptr || PyIndex_Check(object->ptr()) == 0) return std::nullopt;
  const Py_ssize_t index = PyNumber_AsSsize_t(object->ptr(), PyExc_IndexError);
  if (index == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return index;
}

bool is_any_tensor(const Machine& machine, const State& state, const AbstractValue& value) {
  if (state.heap.get<TensorObject>(value) != nullptr) return true;
  return value.constant() != nullptr && machine.torch.is_tensor(*value.constant());
}

std::optional<ScalarValue> dynamic_index(Machine& machine, State& state, const AbstractValue& value) {
  AbstractValue number = value;
  if (const auto* tensor = state.heap.get<TensorObject>(value)) {
    const Type type = machine.torch.type_of_spec(tensor->spec);
    const DType dtype = type.tensor()->dtype;
    if (is_float(dtype))
      throw_python(PyExc_TypeError, "only integer tensors of a single element can be converted to an index");
    Outcome read = read_tensor(machine, state, value, "int");
    if (const auto* result = std::get_if<AbstractValue>(&read)) number = *result;
  }
  const ScalarValue* scalar = number.scalar();
  if (scalar == nullptr || scalar->kind == ScalarKind::F64) return std::nullopt;
  if (scalar->kind == ScalarKind::I64) return *scalar;
  const AbstractValue whole = convert_number(machine, state, number, ScalarKind::I64);
  return *whole.scalar();
}

void restart_if_given_up(const Origins& origins) {
  if (origins && !origins->empty()) throw Restart{*origins};
}

bool may_be_caught(const State& state) {
  return std::any_of(state.frames.begin(), state.frames.end(), [&](const auto& frame) {
    const auto& handler = frame->function->ir.block(frame->block).handler;
    return handler.has_value() && catches(state, *frame, *handler);
  });
}

bool is_list(const State& state, const AbstractValue& value) {
  if (state.heap.get<ListObject>(value) != nullptr) return true;
  const nb::object* live = value.constant();
  return live != nullptr && PyList_CheckExact(live->ptr());
}

bool is_dict(const State& state, const AbstractValue& value) {
  if (state.heap.get<DictObject>(value) != nullptr) return true;
  const nb::object* live = value.constant();
  return live != nullptr && PyDict_Check(live->ptr()) != 0 && !is_user_method(live->type(), "__getitem__") &&
         !is_user_method(live->type(), "__setitem__") && !is_user_method(live->type(), "__missing__");
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
  return nb::len(*dict.constant());
}

std::vector<nb::object> set_items(const State& state, const AbstractValue& set) {
  nb::object live;
  if (const auto* object = state.heap.get<SetObject>(set)) {
    live = owned(PySet_New(nullptr));
    for (const nb::object& item : object->items)
      if (PySet_Add(live.ptr(), item.ptr()) < 0) throw nb::python_error();
  } else {
    live = *set.constant();
  }
  std::vector<nb::object> items;
  for (const nb::handle item : live) items.push_back(nb::borrow(item));
  return items;
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

void refuse_own_key(const Machine& machine, const State& state, nb::handle key) {
  if (is_plain_key(key) || !has_attribute(key, "__hash__") || key.type().attr("__hash__").is_none()) return;
  machine.refuse(
      state, "python.own_key",
      "a " + class_name(key.type()) + " is a key, and its class defines how it is hashed or compared",
      "use a number, a str or a tuple of them as the key");
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
