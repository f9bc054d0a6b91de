// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/exceptions.h"

#include "partial_eval/data/numbers.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/language/instantiate.h"
#include "partial_eval/language/iteration.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

bool is_exception_class(nb::handle object) {
  return PyType_Check(object.ptr()) && PyExceptionClass_Check(object.ptr());
}

std::string text_of(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

// What the exception is made again from: str(), and how to make arguments of it. KeyError shows its
// argument by repr(), so a number must be one again.
struct Remade {
  std::string kind;  // "(int)", "()", "": a str
  std::string text;
};

std::optional<Remade> remade_from(const nb::tuple& args, nb::handle type) {
  const nb::object shown = nb::borrow(PyExc_Exception)(*args);
  if (nb::len(args) == 0) return Remade{"()", ""};
  PyObject* only = PyTuple_GET_ITEM(args.ptr(), 0);
  if (nb::len(args) == 1) {
    if (PyUnicode_CheckExact(only)) return Remade{"", text_of(only)};
    if (PyBool_Check(only)) return Remade{"(bool)", text_of(only)};
    if (PyLong_CheckExact(only)) return Remade{"(int)", text_of(only)};
    if (PyFloat_CheckExact(only)) return Remade{"(float)", text_of(only)};
  }
  if (PyObject_IsSubclass(type.ptr(), PyExc_KeyError) == 1) return std::nullopt;
  return Remade{"", text_of(shown)};
}

[[noreturn]] void refuse_arguments(const Machine& machine, const State& state) {
  machine.refuse(state, "python.exception_arguments",
                 "an exception with tensors, several values or a structure as arguments leaves the program",
                 "raise it with one message: an f-string may contain numbers read from tensors");
}

Departure known_departure(const Machine& machine, const State& state, nb::handle type,
                          const nb::tuple& args) {
  const auto remade = remade_from(args, type);
  if (!remade) refuse_arguments(machine, state);
  return {exception_name(type) + remade->kind, literal_format(remade->text), {}};
}

const InstanceObject* exception_instance(const State& state, const AbstractValue& value) {
  const auto* instance = state.heap.get<InstanceObject>(value);
  return instance != nullptr && is_exception_class(instance->type) ? instance : nullptr;
}

}  // namespace

Raised raised_by_python(nb::python_error& error) {
  nb::object exception = nb::borrow(error.value());
  // A traceback would keep our own frames and the model's tensors alive.
  PyException_SetTraceback(exception.ptr(), Py_None);
  return Raised{known(std::move(exception))};
}

std::string exception_name(nb::handle type) {
  const auto module = nb::cast<std::string>(nb::str(type.attr("__module__")));
  const auto name = nb::cast<std::string>(nb::str(type.attr("__qualname__")));
  return module == "builtins" ? name : module + ":" + name;
}

std::string literal_format(const std::string& text) {
  std::string format;
  for (const char letter : text) {
    format += letter;
    if (letter == '{' || letter == '}') format += letter;
  }
  return format;
}

// A text of the prelude, with "{}" for a number that depends on the input.
std::string shown_words(const State& state, const AbstractValue& words) {
  const auto* made = state.heap.get<TextObject>(words);
  return made != nullptr ? made->format : text_of(*words.constant());
}

// A model of the prelude says that it does not cover what is asked of it.
void refuse_if_beyond_model(Machine& machine, State& state, const AbstractValue& exception) {
  const nb::object refused = machine.torch.prelude_function("Refused");
  if (const auto* instance = exception_instance(state, exception);
      instance != nullptr && is_subtype(instance->type, refused)) {
    const auto words = elements_of(machine, state, instance->attributes.at("args"));
    machine.refuse(state, "python.builtin_limit", shown_words(state, (*words)[0]),
                   shown_words(state, (*words)[1]));
  }
  const nb::object* object = exception.constant();
  if (object == nullptr || !nb::isinstance(*object, refused)) return;
  const nb::object words = object->attr("args");
  machine.refuse(state, "python.builtin_limit", text_of(words[0]), text_of(words[1]));
}

Outcome raise_value(Machine& machine, State& state, const AbstractValue& exception,
                    const AbstractValue& cause) {
  refuse_if_beyond_model(machine, state, exception);
  if (cause.bound() && !cause.is_none()) {
    const nb::object* object = cause.constant();
    const bool is_exception =
        exception_instance(state, cause) != nullptr ||
        (object != nullptr && (PyExceptionInstance_Check(object->ptr()) || is_exception_class(*object)));
    if (!is_exception)
      return machine.raise(PyExc_TypeError, "exception causes must derive from BaseException");
  }
  if (exception_instance(state, exception) != nullptr) return Raised{exception};
  const nb::object* object = exception.constant();
  if (object != nullptr && PyExceptionInstance_Check(object->ptr())) return Raised{exception};
  if (object == nullptr || !is_exception_class(*object))
    return machine.raise(PyExc_TypeError, "exceptions must derive from BaseException");
  if (const auto* type = reinterpret_cast<const PyTypeObject*>(object->ptr());
      (type->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0)
    return Raised{known((*object)())};
  Outcome made = instantiate(machine, state, *object, {});
  if (auto* value = std::get_if<AbstractValue>(&made)) return Raised{std::move(*value)};
  machine.refuse(state, "python.raise_class",
                 "a class with an __init__ of its own is raised without being called",
                 "write `raise " + exception_name(*object) + "()`");
}

bool exception_matches(Machine& machine, State& state, const AbstractValue& exception,
                       const nb::object& types) {
  nb::object type;
  if (const InstanceObject* instance = exception_instance(state, exception)) type = instance->type;
  if (const nb::object* live = exception.constant()) type = nb::borrow(live->type());
  if (!type.is_valid()) internal_error("an exception of no type");
  const auto check = [&](nb::handle candidate) {
    if (!is_exception_class(candidate)) {
      PyErr_SetString(PyExc_TypeError,
                      "catching classes that do not inherit from BaseException is not allowed");
      throw nb::python_error();
    }
    return PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type.ptr()),
                            reinterpret_cast<PyTypeObject*>(candidate.ptr())) == 1;
  };
  (void)machine;
  if (!PyTuple_Check(types.ptr())) return check(types);
  bool matches = false;
  for (const nb::handle candidate : nb::cast<nb::tuple>(types)) matches = check(candidate) || matches;
  return matches;
}

AbstractValue arguments_of_exception(const State& state, const AbstractValue& exception) {
  const Receiver receiver = *receiver_of(state, exception);
  if (const AbstractValue* written = written_attribute(receiver, "args")) return *written;
  return known(receiver.live.attr("args"));
}

Departure departure_of(Machine& machine, State& state, const AbstractValue& exception) {
  if (const nb::object* live = exception.constant())
    return known_departure(machine, state, live->type(), nb::cast<nb::tuple>(live->attr("args")));
  const InstanceObject* instance = exception_instance(state, exception);
  if (instance == nullptr) internal_error("something that is no exception was raised");
  if (is_user_method(instance->type, "__str__"))
    machine.refuse(state, "python.exception_arguments",
                   "an exception whose class defines __str__ leaves the program",
                   "pass the message to super().__init__() instead");
  const std::string name = exception_name(instance->type);
  const AbstractValue args = arguments_of_exception(state, exception);
  if (const auto tuple = machine.reify(state, args))
    return known_departure(machine, state, instance->type, nb::cast<nb::tuple>(*tuple));
  const auto* items = state.heap.get<TupleObject>(args);
  if (items != nullptr && items->items.size() == 1) {
    if (const auto* text = state.heap.get<TextObject>(items->items[0])) {
      if (text->opaque)
        machine.warn(state, "the message of this exception says <tensor> where eager shows the elements");
      Departure departure{name, text->format, {}};
      for (const ScalarValue& scalar : text->scalars) departure.scalars.push_back(scalar.id);
      return departure;
    }
    if (const ScalarValue* scalar = items->items[0].scalar())
      return {name + "(" + std::string(python_name(scalar->kind)) + ")", "{}", {scalar->id}};
  }
  refuse_arguments(machine, state);
}

}  // namespace dycl::partial_eval
