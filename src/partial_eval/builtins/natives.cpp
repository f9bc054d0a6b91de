// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/builtins/natives.h"

#include "partial_eval/builtins/context_variables.h"
#include "partial_eval/builtins/native_call.h"
#include "partial_eval/builtins/native_methods.h"
#include "partial_eval/builtins/natives_containers.h"
#include "partial_eval/builtins/natives_library.h"
#include "partial_eval/builtins/natives_numbers.h"
#include "partial_eval/builtins/natives_sequences.h"
#include "partial_eval/builtins/natives_text.h"
#include "partial_eval/builtins/natives_types.h"
#include "partial_eval/data/containers.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/language/call.h"
#include "partial_eval/static_calls/arrays.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

NativeTable all_natives() {
  NativeTable table;
  add_type_natives(table);
  add_number_natives(table);
  add_sequence_natives(table);
  add_text_natives(table);
  add_container_natives(table);
  add_library_natives(table);
  return table;
}

const NativeTable& natives() {
  static const NativeTable table = all_natives();
  return table;
}

// Those that ask for an argument's value alone: an array is given to them as it is now.
const NativeTable& value_readers() {
  static const NativeTable table = [] {
    NativeTable readers;
    add_number_natives(readers);
    add_text_natives(readers);
    return readers;
  }();
  return table;
}

bool is_container_type(nb::handle type) {
  const auto* wanted = reinterpret_cast<PyTypeObject*>(type.ptr());
  return wanted == &PyList_Type || wanted == &PyDict_Type || wanted == &PySet_Type ||
         wanted == &PyFrozenSet_Type || wanted == &PyTuple_Type || wanted == &PyUnicode_Type ||
         wanted == &PySlice_Type;
}

// A list, dict, set, tuple, str or what derives from them without methods of its own.
bool is_native_container(nb::handle live) {
  return PyList_CheckExact(live.ptr()) || PyDict_Check(live.ptr()) || PyAnySet_CheckExact(live.ptr()) ||
         PyTuple_Check(live.ptr()) || PyUnicode_CheckExact(live.ptr()) || PySlice_Check(live.ptr());
}

// [].append: a method of the live object's builtin type, bound.
std::optional<Outcome> bound_method(NativeCall& call) {
  PyObject* self = PyCFunction_GET_SELF(call.callee.ptr());
  if (self == nullptr || PyModule_Check(self) || PyType_Check(self) || !is_native_container(self))
    return std::nullopt;
  const AbstractValue now = current(call.state, known(nb::borrow(self)));
  return call_native_method(call.machine, call.state, now, text_or_empty(call.callee, "__name__"),
                            call.arguments);
}

// list.append, dict.__getitem__: a method of a builtin type, not bound.
std::optional<Outcome> unbound_method(NativeCall& call) {
  const nb::object owner = attribute_or_null(call.callee, "__objclass__");
  const bool is_view = owner.is_valid() && call.count() > 0 && view_of(call.state, call.at(0)).has_value();
  if (!owner.is_valid() || call.count() == 0 || !(is_container_type(owner) || is_view)) return std::nullopt;
  const nb::object type = type_of(call.machine, call.state, call.at(0));
  if (!is_subtype(type, owner)) return std::nullopt;  // CPython words the error
  if (call.state.heap.get<InstanceObject>(call.at(0)) != nullptr && !is_view) return std::nullopt;
  const AbstractValue self = call.at(0);
  Arguments rest = call.arguments;
  rest.positional.erase(rest.positional.begin());
  return call_native_method(call.machine, call.state, self, text_or_empty(call.callee, "__name__"), rest);
}

bool is_logging_call(nb::handle callee) {
  static constexpr std::string_view kNames =
      " debug info warning warn error exception critical fatal log warning_once warn_once ";
  const nb::object self = attribute_or_null(callee, "__self__");
  if (!self.is_valid()) return false;
  const nb::module_ logging = nb::module_::import_("logging");
  const bool is_logger =
      PyObject_IsInstance(self.ptr(), nb::object(logging.attr("Logger")).ptr()) == 1 ||
      PyObject_IsInstance(self.ptr(), nb::object(logging.attr("LoggerAdapter")).ptr()) == 1;
  return is_logger && kNames.find(" " + text_or_empty(callee, "__name__") + " ") != std::string_view::npos;
}

// The name in `module.__getattribute__("name")`, as torch.backends.cudnn writes it; nullopt: something else.
std::optional<std::string> attribute_of_module(const nb::object& self, const nb::object& callee,
                                               const Arguments& arguments) {
  const bool is_module = self.is_valid() && PyModule_CheckExact(self.ptr());
  if (!is_module || text_or_empty(callee, "__name__") != "__getattribute__") return std::nullopt;
  if (arguments.positional.size() != 1 || !arguments.keywords.empty()) return std::nullopt;
  const nb::object* name = arguments.positional[0].constant();
  if (name == nullptr || !PyUnicode_CheckExact(name->ptr())) return std::nullopt;
  return nb::cast<std::string>(*name);
}

}  // namespace

std::optional<Outcome> call_native(Machine& machine, State& state, const nb::object& callee,
                                   Arguments& arguments) {
  NativeCall call{machine, state, callee, arguments};
  if (const Native native = natives().find(callee)) {
    if (value_readers().find(callee) != nullptr)
      for (AbstractValue& value : arguments.positional) value = as_read(state, value);
    return native(call);
  }
  if (PyCFunction_Check(callee.ptr())) {
    if (auto done = call_context_variable(call)) return done;
    return bound_method(call);
  }
  if (Py_IS_TYPE(callee.ptr(), &PyMethodDescr_Type) || Py_IS_TYPE(callee.ptr(), &PyWrapperDescr_Type))
    return unbound_method(call);
  if (Py_TYPE(callee.ptr()) == &_PyMethodWrapper_Type) {
    const nb::object self = attribute_or_null(callee, "__self__");
    if (const auto name = attribute_of_module(self, callee, arguments))
      return get_attr(machine, state, known(self), *name);
    if (self.is_valid() && is_native_container(self))
      return call_native_method(machine, state, current(state, known(self)),
                                text_or_empty(callee, "__name__"), arguments);
    return std::nullopt;
  }
  if (nb::borrow(callee.type()).is(library_object("functools", "_lru_cache_wrapper"))) {
    Arguments staged{{known(callee.attr("__wrapped__"))}, arguments.keywords};
    staged.positional.insert(staged.positional.end(), arguments.positional.begin(),
                             arguments.positional.end());
    return call_prelude(machine, state, "cached_call", std::move(staged));
  }
  if (PyMethod_Check(callee.ptr()) && is_logging_call(callee)) {
    machine.warn(state, "the call of a logger is left out");
    return known_none();
  }
  return std::nullopt;
}

}  // namespace dycl::partial_eval
