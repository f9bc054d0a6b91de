// SPDX-License-Identifier: Apache-2.0
// Methods of object, of exceptions and of torch.nn.Module that classes of the user's call on themselves.
#include "partial_eval/language/object_methods.h"

#include <fmt/format.h>

#include "partial_eval/data/structures.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/language/derived_containers.h"
#include "partial_eval/language/instantiate.h"
#include "partial_eval/language/iteration.h"
#include "partial_eval/language/set_attributes.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

struct MethodCall {
  Machine& machine;
  State& state;
  Arguments& arguments;
  Receiver receiver;

  [[nodiscard]] std::size_t count() const { return arguments.positional.size() - 1; }
  [[nodiscard]] const AbstractValue& at(std::size_t index) const { return arguments.positional[index + 1]; }
  [[nodiscard]] std::string attribute_name() const {
    const nb::object name = machine.need(state, at(0), "the name of an attribute");
    return nb::cast<std::string>(nb::str(name));
  }
};

using Method = Outcome (*)(MethodCall& call);

void note_plain_read(MethodCall& call) {
  if (call.receiver.live.is_valid() && written_attribute(call.receiver, call.attribute_name()) == nullptr)
    note_read(call.machine, call.state, call.receiver.live, call.attribute_name());
}

Outcome get_plainly(MethodCall& call) {
  note_plain_read(call);
  return instance_attribute(call.machine, call.state, call.receiver, call.attribute_name());
}

Outcome set_plainly(MethodCall& call) {
  return set_plain_attr(call.machine, call.state, call.receiver, call.attribute_name(), call.at(1));
}

Outcome delete_plainly(MethodCall& call) {
  return delete_plain_attr(call.machine, call.state, call.receiver, call.attribute_name());
}

// torch.nn.Module.__getattr__ is asked only when nothing else knows the name.
Outcome module_getattr(MethodCall& call) {
  note_plain_read(call);
  const std::string name = call.attribute_name();
  const nb::object& live = call.receiver.live;
  if (written_attribute(call.receiver, name) != nullptr)
    return instance_attribute(call.machine, call.state, call.receiver, name);
  if (!live.is_valid()) return no_attribute(call.machine, call.receiver.type, name);
  if (has_written_tables(call.state, live)) {
    const AbstractValue found = registered_attribute(call.state, live, name);
    return found.bound() ? Outcome(current(call.state, found))
                         : no_attribute(call.machine, call.receiver.type, name);
  }
  const nb::object getattr = library_object("torch.nn", "Module").attr("__getattr__");
  return current(call.state, known(getattr(live, name.c_str())));
}

// torch.nn.Module.__init__ of a module that the program makes.
Outcome module_init(MethodCall& call) {
  if (call.receiver.live.is_valid() || call.count() != 0 || !call.arguments.keywords.empty())
    call.machine.refuse(
        call.state, "python.module_in_forward",
        "torch.nn.Module.__init__() is called with arguments, or on a module that was there before",
        "construct it in __init__");
  return set_plain_attr(call.machine, call.state, call.receiver, "training", known_bool(true));
}

Outcome object_init(MethodCall& call) {
  if (call.count() == 0 && call.arguments.keywords.empty()) return known_none();
  return call.machine.raise(PyExc_TypeError,
                            "object.__init__() takes exactly one argument (the instance to initialize)");
}

Outcome exception_init(MethodCall& call) {
  const std::string name = class_name(call.receiver.type);
  if (!call.arguments.keywords.empty())
    call.machine.refuse(call.state, "python.class", fmt::format("{} is made with keyword arguments", name),
                        "pass them by position");
  std::vector<AbstractValue> args(call.arguments.positional.begin() + 1, call.arguments.positional.end());
  AbstractValue tuple = make_tuple(call.machine, call.state, std::move(args));
  return set_plain_attr(call.machine, call.state, call.receiver, "args", tuple);
}

Outcome with_traceback(MethodCall& call) { return call.receiver.self; }

Outcome object_new(MethodCall& call) { return call.state.make(InstanceObject{call.receiver.live, {}, {}}); }

bool is_wrapper_of(nb::handle callee, nb::handle type, const char* name) {
  return callee.is(nb::handle(attribute_or_null(type, name)));
}

bool is_exception_init(nb::handle callee) {
  if (Py_TYPE(callee.ptr()) != &PyWrapperDescr_Type) return false;
  return text_or_empty(callee, "__name__") == "__init__" &&
         is_exception_type(attribute_or_null(callee, "__objclass__"));
}

Method method_of(nb::handle callee) {
  const nb::handle base(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
  if (is_wrapper_of(callee, base, "__init__")) return object_init;
  if (is_wrapper_of(callee, base, "__getattribute__")) return get_plainly;
  if (is_wrapper_of(callee, base, "__setattr__")) return set_plainly;
  if (is_wrapper_of(callee, base, "__delattr__")) return delete_plainly;
  if (is_exception_init(callee)) return exception_init;
  if (is_wrapper_of(callee, PyExc_BaseException, "with_traceback")) return with_traceback;
  return nullptr;
}

// torch.compile notes which modules are new, from a wrapper that it puts around torch.nn.Module.__init__.
Outcome note_nothing(MethodCall&) { return known_none(); }

bool is_note_of_compiler(nb::handle callee) {
  return module_name_of(callee) == "torch._dynamo.mutation_guard" &&
         text_or_empty(callee, "__qualname__") == "_GenerationTracker.tag";
}

// A method is known by its code: the class may hold a wrapper of it, and a wrapper may bear its name.
Method module_method_of(nb::handle callee) {
  if (is_note_of_compiler(callee)) return note_nothing;
  if (module_name_of(callee) != "torch.nn.modules.module") return nullptr;
  if (!text_or_empty(callee, "__qualname__").starts_with("Module.")) return nullptr;
  const nb::object file = library_object("torch.nn.modules.module", "__file__");
  if (has_code(callee, "__init__", file)) return module_init;
  if (has_code(callee, "__setattr__", file)) return set_plainly;
  if (has_code(callee, "__delattr__", file)) return delete_plainly;
  if (has_code(callee, "__getattr__", file)) return module_getattr;
  return nullptr;
}

bool is_new_of(nb::handle callee, PyTypeObject& type) {
  return PyCFunction_Check(callee.ptr()) != 0 &&
         PyCFunction_GetSelf(callee.ptr()) == reinterpret_cast<PyObject*>(&type) &&
         text_or_empty(callee, "__name__") == "__new__";
}

// tuple.__new__(cls, iterable), as the _make and _replace of named tuples call it.
std::optional<Outcome> tuple_new(Machine& machine, State& state, const Arguments& arguments) {
  const nb::object* type = arguments.positional[0].constant();
  if (type == nullptr || arguments.positional.size() != 2 || !arguments.keywords.empty()) return std::nullopt;
  auto elements = need_elements(machine, state, arguments.positional[1], 2);
  if (auto* outcome = std::get_if<Outcome>(&elements)) return std::move(*outcome);
  if (attribute_or_null(*type, "_fields").is_valid()) refuse_odd_tuple(machine, state, *type);
  auto& items = std::get<std::vector<AbstractValue>>(elements);
  if (all_live(Arguments{items, {}}))
    return known(nb::handle(reinterpret_cast<PyObject*>(&PyTuple_Type))
                     .attr("__new__")(*type, live_positional(Arguments{items, {}})));
  return state.make(TupleObject{std::move(items), *type});
}

// super().__new__(cls, …) in a class that derives from a named tuple.
std::optional<Outcome> named_tuple_new(Machine& machine, State& state, const nb::object& creator,
                                       const Arguments& arguments) {
  const nb::object* type = arguments.positional[0].constant();
  if (type == nullptr || !makes_named_tuples(creator)) return std::nullopt;
  refuse_odd_tuple(machine, state, *type);
  Arguments fields = arguments;
  fields.positional.erase(fields.positional.begin());
  return fill_named_tuple(machine, state, creator, *type, std::move(fields));
}

}  // namespace

std::optional<Outcome> call_object_method(Machine& machine, State& state, const nb::object& callee,
                                          Arguments& arguments) {
  if (Py_TYPE(callee.ptr()) == &_PyMethodWrapper_Type) {  // live.__setattr__
    const nb::object owner = callee.attr("__objclass__");
    const nb::object method = type_attribute(owner, text_or_empty(callee, "__name__"));
    if (!method.is_valid() || method_of(method) == nullptr) return std::nullopt;
    arguments.positional.insert(arguments.positional.begin(), known(callee.attr("__self__")));
    return call_object_method(machine, state, method, arguments);
  }
  if (PyMethod_Check(callee.ptr())) {  // live_module.__setattr__
    const nb::object function = nb::borrow(PyMethod_GET_FUNCTION(callee.ptr()));
    if (module_method_of(function) == nullptr) return std::nullopt;
    arguments.positional.insert(arguments.positional.begin(),
                                known(nb::borrow(PyMethod_GET_SELF(callee.ptr()))));
    return call_object_method(machine, state, function, arguments);
  }
  if (arguments.positional.empty()) return std::nullopt;
  if (auto done = call_container_method(machine, state, callee, arguments)) return done;
  if (is_new_of(callee, PyTuple_Type)) return tuple_new(machine, state, arguments);
  if (auto made = named_tuple_new(machine, state, callee, arguments)) return std::move(*made);
  Method method = nullptr;
  if (is_new_of(callee, PyBaseObject_Type)) {
    const nb::object* type = arguments.positional[0].constant();
    if (type == nullptr || !PyType_Check(type->ptr()) || machine.torch.is_module_class(*type))
      return std::nullopt;
    if (reinterpret_cast<PyTypeObject*>(type->ptr())->tp_basicsize > PyBaseObject_Type.tp_basicsize &&
        is_exception_type(*type))
      return std::nullopt;
    method = object_new;
  } else if (PyFunction_Check(callee.ptr())) {
    method = module_method_of(callee);
  } else if (Py_TYPE(callee.ptr()) == &PyWrapperDescr_Type || Py_TYPE(callee.ptr()) == &PyMethodDescr_Type) {
    method = method_of(callee);
  }
  if (method == nullptr) return std::nullopt;
  const auto receiver = receiver_of(state, arguments.positional[0]);
  if (!receiver) return std::nullopt;
  const std::size_t wanted = method == set_plainly ? 2U
                             : method == get_plainly || method == delete_plainly || method == module_getattr
                                 ? 1U
                                 : 0U;
  if (arguments.positional.size() < wanted + 1) return std::nullopt;
  MethodCall call{machine, state, arguments, *receiver};
  return method(call);
}

}  // namespace dycl::partial_eval
