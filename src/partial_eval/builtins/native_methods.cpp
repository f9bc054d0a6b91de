// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/builtins/native_methods.h"

#include "base/overloaded.h"
#include "partial_eval/builtins/dict_methods.h"
#include "partial_eval/builtins/list_methods.h"
#include "partial_eval/builtins/natives_text.h"
#include "partial_eval/builtins/set_methods.h"
#include "partial_eval/data/containers.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/structures.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/dict_items.h"
#include "partial_eval/language/dict_views.h"
#include "partial_eval/language/generators.h"
#include "partial_eval/language/items.h"
#include "partial_eval/language/iteration.h"
#include "partial_eval/language/operators.h"
#include "partial_eval/language/sequences.h"
#include "partial_eval/static_calls/arrays.h"
#include "partial_eval/static_calls/static_call.h"
#include "partial_eval/values/handlers.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"
#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {
namespace {

// The builtin type whose methods are modelled for this value; null: none.
nb::object native_type(const State& state, const AbstractValue& value) {
  if (const ScalarValue* scalar = value.scalar())
    return builtin(scalar->kind == ScalarKind::Bool  ? PyBool_Type
                   : scalar->kind == ScalarKind::I64 ? PyLong_Type
                                                     : PyFloat_Type);
  if (const nb::object* live = value.constant()) {
    PyObject* object = live->ptr();
    const bool is_modelled =
        PyList_CheckExact(object) || PyDict_Check(object) || PyAnySet_CheckExact(object) ||
        PyTuple_Check(object) || PyUnicode_Check(object) || PySlice_Check(object) || PyLong_Check(object) ||
        PyFloat_Check(object) || PyBytes_Check(object) || PyRange_Check(object) || is_any_array(state, value);
    return is_modelled ? nb::borrow(live->type()) : nb::object();
  }
  if (value.object() == nullptr) return {};
  return std::visit(Overloaded{[](const ListObject&) { return builtin(PyList_Type); },
                               [](const SequenceObject& sequence) {
                                 return builtin(sequence.is_tuple ? PyTuple_Type : PyList_Type);
                               },
                               [](const ArrayObject& array) { return type_of_live(array.contents); },
                               [](const TupleObject& tuple) { return tuple.type; },
                               [](const DictObject& dict) { return dict.type; },
                               [](const SetObject& set) { return set.type; },
                               [](const TextObject&) { return builtin(PyUnicode_Type); },
                               [](const SliceObject&) { return builtin(PySlice_Type); },
                               [](const GeneratorObject&) { return builtin(PyGen_Type); },
                               [](const IteratorObject&) { return builtin(PyListIter_Type); },
                               [&](const InstanceObject& instance) {
                                 return view_of(state, value) ? instance.type : nb::object();
                               },
                               [](const auto&) { return nb::object(); }},
                    state.heap.at(*value.object()));
}

// __len__, __getitem__ … : what the operators do.
std::optional<Outcome> by_protocol(Machine& machine, State& state, const AbstractValue& self,
                                   const std::string& name, const Arguments& arguments) {
  const auto& given = arguments.positional;
  if (!arguments.keywords.empty()) return std::nullopt;
  if (name == "__len__" && given.empty()) return length(machine, state, self);
  if (name == "__iter__" && given.empty()) return get_iter(machine, state, self);
  if (name == "__getitem__" && given.size() == 1) return get_item(machine, state, self, given[0]);
  if (name == "__setitem__" && given.size() == 2) return set_item(machine, state, self, given[0], given[1]);
  if (name == "__delitem__" && given.size() == 1) return delete_item(machine, state, self, given[0]);
  if (name == "__contains__" && given.size() == 1) return contains(machine, state, given[0], self);
  if (name == "__bool__" && given.empty()) return truth(machine, state, self);
  return std::nullopt;
}

std::optional<Outcome> generator_method(Machine& machine, State& state, const AbstractValue& self,
                                        const std::string& name, const Arguments& arguments) {
  const ObjectRef ref = *self.object();
  if (name == "__next__") return resume(machine, state, ref, OnReturn::Next, {});
  if (name == "send" && arguments.positional.size() == 1)
    return send(machine, state, ref, arguments.positional[0]);
  if (name == "throw" && arguments.positional.size() == 1)
    return throw_into(machine, state, ref, arguments.positional[0]);
  const auto* generator = state.heap.get<GeneratorObject>(self);
  if (name == "close" && (generator->finished || !generator->started)) {
    state.heap.edit_as<GeneratorObject>(ref).finished = true;
    return known_none();
  }
  machine.refuse(state, "python.generator_method", "the method " + name + "() of a generator is not modelled",
                 "pass values through arguments, or keep the state in an object");
}

std::optional<Outcome> tuple_method(Machine& machine, State& state, const AbstractValue& self,
                                    const std::string& name, const Arguments& arguments) {
  const nb::object type = type_of(machine, state, self);
  if (!has_attribute(type, "_fields")) return std::nullopt;
  const auto fields = nb::cast<nb::tuple>(type.attr("_fields"));
  std::vector<AbstractValue> items = list_items(state, self);
  if (name == "_asdict" && arguments.positional.empty()) {
    const AbstractValue dict = new_dict(state);
    for (std::size_t index = 0; index < items.size(); ++index)
      (void)set_dict_item(machine, state, dict, known(nb::borrow(fields[index])), items[index]);
    return dict;
  }
  if (name != "_replace" || !arguments.positional.empty()) return std::nullopt;
  for (const auto& [field, value] : arguments.keywords) {
    std::size_t index = 0;
    while (index < items.size() && nb::cast<std::string>(fields[index]) != field) ++index;
    if (index == items.size())
      return machine.raise(PyExc_ValueError, "Got unexpected field names: ['" + field + "']");
    items[index] = value;
  }
  return state.make(TupleObject{std::move(items), type});
}

std::optional<Outcome> number_method(Machine& machine, State& state, const AbstractValue& self,
                                     const std::string& name, const Arguments& arguments) {
  if (!arguments.positional.empty()) return std::nullopt;
  const ScalarKind kind = self.scalar()->kind;
  if (name == "conjugate" || name == "__pos__")
    return kind == ScalarKind::Bool ? convert_number(machine, state, self, ScalarKind::I64) : self;
  if (name == "__index__" && kind != ScalarKind::F64)
    return convert_number(machine, state, self, ScalarKind::I64);
  if (name == "bit_length" && kind != ScalarKind::F64)
    return host_number(machine, state, HostOp::BitLength,
                       {convert_number(machine, state, self, ScalarKind::I64)}, ScalarKind::I64);
  if (name == "__float__") return convert_number(machine, state, self, ScalarKind::F64);
  if (name == "is_integer" && kind == ScalarKind::F64) {
    // The rest is NaN for NaN and the infinities. fmod() would raise for these.
    const AbstractValue rest =
        host_number(machine, state, HostOp::Mod, {self, known(nb::float_(1.0))}, ScalarKind::F64);
    return compare(machine, state, program::Operation::Equal, rest, known_int(0));
  }
  return std::nullopt;
}

// super().__getitem__(key) in a class that derives from dict: what it holds, unless __missing__ is asked. A
// view shows the same, whatever methods the class has.
std::optional<Outcome> read_past_methods(State& state, const nb::object& live, const std::string& name,
                                         const Arguments& arguments) {
  if (PyDict_Check(live.ptr()) == 0) return std::nullopt;
  const bool is_view = name == "keys" || name == "values" || name == "items";
  if (is_view && arguments.positional.empty() && arguments.keywords.empty())
    return make_view(state, known(live), name);
  if (is_user_method(live.type(), "__missing__") || arguments.positional.size() != 1 ||
      !arguments.keywords.empty())
    return std::nullopt;
  const nb::object* key = arguments.positional[0].constant();
  if (key == nullptr || !is_atom(*key) || (name != "__getitem__" && name != "__contains__"))
    return std::nullopt;
  PyObject* found = PyDict_GetItemWithError(live.ptr(), key->ptr());
  if (found == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
  if (name == "__contains__") return known_bool(found != nullptr);
  if (found == nullptr) throw_python(PyExc_KeyError, *key);
  return current(state, known(nb::borrow(found)));
}

std::optional<Outcome> view_method(Machine& machine, State& state, const DictView& view,
                                   const std::string& name, const AbstractValue& self, Arguments& arguments) {
  if (name == "__len__" || name == "__iter__") return by_protocol(machine, state, self, name, arguments);
  const nb::object* live = view.dict.constant();
  const bool is_redefined = live != nullptr && redefines_reading(*live);
  if (is_redefined && view.kind == "keys" && name == "__contains__")
    return read_past_methods(state, *live, name, arguments);
  if (view.kind == "keys" && name == "__contains__" && arguments.positional.size() == 1)
    return contains(machine, state, arguments.positional[0], view.dict);
  if (view.kind != "keys" || name == "__contains__") return std::nullopt;
  if (name.starts_with("__") && arguments.positional.size() == 1)
    if (auto done = view_operator(machine, state, name.c_str(), self, arguments.positional[0])) return done;
  nb::list keys;  // set operations on keys
  for (const auto& [key, value] : dict_entries(state, view.dict)) keys.append(key);
  const nb::object set = builtin(PySet_Type)(keys);
  return set_method(machine, state, known(set), name, arguments);
}

std::optional<Outcome> modelled(Machine& machine, State& state, const AbstractValue& self,
                                const std::string& name, Arguments& arguments) {
  if (self.scalar() != nullptr) return number_method(machine, state, self, name, arguments);
  if (state.heap.get<SequenceObject>(self) != nullptr)
    return sequence_method(machine, state, *self.object(), name, arguments);
  if (state.heap.get<GeneratorObject>(self) != nullptr && name != "__iter__")
    return generator_method(machine, state, self, name, arguments);
  if (state.heap.get<IteratorObject>(self) != nullptr && name == "__next__")
    return next_outcome(machine, state, *self.object(), {});
  if (const auto view = view_of(state, self))
    return view_method(machine, state, *view, name, self, arguments);
  const nb::object* live = self.constant();
  if (state.heap.get<TextObject>(self) != nullptr || (live != nullptr && PyUnicode_Check(live->ptr())))
    return text_method(machine, state, self, name, arguments);
  // The operators would ask the methods of the class; a method of the builtin type does not.
  const bool is_redefined = live != nullptr && redefines_reading(*live);
  const bool is_sequence = live != nullptr && (PyList_Check(live->ptr()) || PyTuple_Check(live->ptr()));
  if (!is_redefined)
    if (auto done = by_protocol(machine, state, self, name, arguments)) return done;
  if (is_redefined)
    if (auto done = read_past_methods(state, *live, name, arguments)) return done;
  if (is_redefined && (is_sequence || name.starts_with("__")))
    machine.refuse(state, "python.native_method",
                   "the method " + name + "() of " + described(*live) +
                       " reads its contents past the methods that its class redefines",
                   "call it on list(…), tuple(…), dict(…) or set(…) of the object");
  if (is_any_array(state, self)) return array_method(machine, state, self, name, arguments);
  if (is_list(state, self)) return list_method(machine, state, self, name, arguments);
  if (is_dict(state, self)) return dict_method(machine, state, self, name, arguments);
  if (is_set(state, self)) return set_method(machine, state, self, name, arguments);
  if (state.heap.get<TupleObject>(self) != nullptr || (live != nullptr && PyTuple_Check(live->ptr())))
    return tuple_method(machine, state, self, name, arguments);
  return std::nullopt;
}

// A method that is listed as pure, on known arguments.
std::optional<Outcome> by_cpython(Machine& machine, State& state, const AbstractValue& self,
                                  const std::string& name, const Arguments& arguments) {
  const nb::object method = type_attribute(type_of(machine, state, self), name);
  if (!method.is_valid() || is_abstract(machine, state, self)) return std::nullopt;
  Arguments all = arguments;
  all.positional.insert(all.positional.begin(), self);
  return try_static(machine, state, method, all);
}

}  // namespace

Outcome call_native_method(Machine& machine, State& state, const AbstractValue& original,
                           const std::string& name, Arguments& arguments) {
  const AbstractValue self = current(state, original);
  if (auto done = modelled(machine, state, self, name, arguments)) return std::move(*done);
  if (auto done = by_cpython(machine, state, self, name, arguments)) return std::move(*done);
  nb::object type = native_type(state, self);
  if (!type.is_valid()) type = type_of(machine, state, self);
  for (const nb::handle base : nb::object(type.attr("__mro__"))) {
    const nb::object model = machine.torch.method_model(base, name);
    if (!model.is_valid() || model.is_none()) continue;
    Arguments with_self = arguments;
    with_self.positional.insert(with_self.positional.begin(), self);
    return call(machine, state, known(model), std::move(with_self));
  }
  if (!has_attribute(type, name.c_str()))
    return machine.raise(PyExc_AttributeError,
                         "'" + class_name(type) + "' object has no attribute '" + name + "'");
  machine.refuse(state, "python.native_method",
                 "the method " + class_name(type) + "." + name +
                     "() is not modelled for values that depend on the "
                     "input or were made during the run",
                 "write it out with operators, loops and the usual methods");
}

bool has_native_method(const Machine&, const State& state, const AbstractValue& self,
                       const std::string& name) {
  const nb::object type = native_type(state, self);
  if (!type.is_valid()) return false;
  const nb::object method = type_attribute(type, name);
  if (!method.is_valid()) return false;
  const bool is_generated_tuple =
      PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type.ptr()), &PyTuple_Type) != 0 &&
      (name == "_replace" || name == "_asdict");
  return is_generated_tuple || Py_IS_TYPE(method.ptr(), &PyMethodDescr_Type) ||
         Py_IS_TYPE(method.ptr(), &PyWrapperDescr_Type);
}

}  // namespace dycl::partial_eval
