// SPDX-License-Identifier: Apache-2.0
// isinstance, type, getattr and their like.
#include "partial_eval/builtins/natives_types.h"

#include <algorithm>
#include <cmath>

#include "partial_eval/builtins/native_call.h"
#include "partial_eval/data/containers.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/exceptions.h"
#include "partial_eval/language/set_attributes.h"
#include "partial_eval/torch/layout.h"
#include "partial_eval/values/handlers.h"
#include "partial_eval/values/live_object.h"
#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {
namespace {

bool has_own_instance_check(nb::handle type) {
  const nb::object check = type_attribute(type.type(), "__instancecheck__");
  return !check.is(type_attribute(reinterpret_cast<PyObject*>(&PyType_Type), "__instancecheck__"));
}

// torch.IntTensor and its like are names for a dtype on a device; DyCL's own tensors are strided ones.
bool is_of_tensor_type(const State& state, const AbstractValue& value, nb::handle wanted) {
  const auto* tensor = state.heap.get<TensorObject>(value);
  if (tensor == nullptr) return false;
  return tensor->spec->dtype.is(wanted.attr("dtype")) &&
         nb::object(tensor->spec->device.attr("type"))
             .equal(nb::str(nb::cast<bool>(wanted.attr("is_cuda")) ? "cuda" : "cpu")) &&
         nb::object(wanted.attr("layout")).is(library_object("torch", "strided"));
}

// Whether a value that CPython does not see is an instance: told by its type.
bool is_instance_of(Machine& machine, const State& state, const AbstractValue& value, nb::handle type,
                    nb::handle wanted) {
  if (PyTuple_Check(wanted.ptr()) || nb::borrow(wanted.type()).is(library_object("types", "UnionType"))) {
    const nb::object parts =
        PyTuple_Check(wanted.ptr()) ? nb::borrow(wanted) : nb::object(wanted.attr("__args__"));
    for (const nb::handle part : parts)
      if (is_instance_of(machine, state, value, type, part)) return true;
    return false;
  }
  if (!PyType_Check(wanted.ptr())) {
    if (has_attribute(wanted, "__args__")) {
      if (nb::object(wanted.attr("__origin__")).is(library_object("typing", "Union")))
        return is_instance_of(machine, state, value, type, nb::tuple(wanted.attr("__args__")));
      throw_python(PyExc_TypeError,
                   Py_IS_TYPE(wanted.ptr(), &Py_GenericAliasType)
                       ? "isinstance() argument 2 cannot be a parameterized generic"
                       : "Subscripted generics cannot be used with class and instance checks");
    }
    if (has_attribute(wanted, "__origin__") && PyType_Check(nb::object(wanted.attr("__origin__")).ptr()))
      return is_instance_of(machine, state, value, type,
                            nb::object(wanted.attr("__origin__")));  // typing.List
    throw_python(PyExc_TypeError, "isinstance() arg 2 must be a type, a tuple of types, or a union");
  }
  if (is_subtype(type, wanted)) return true;
  if (!has_own_instance_check(wanted)) return false;
  if (nb::borrow(wanted.type()).is(library_object("torch", "IntTensor").type()))
    return is_of_tensor_type(state, value, wanted);
  const nb::handle parameter = machine.torch.tensor_class();  // its subclasses ask for flags of the instance
  if (is_subtype(wanted, parameter) && is_library(wanted))
    return wanted.is(library_object("torch.nn", "Parameter")) &&
           state.heap.get<TensorObject>(value) != nullptr && is_parameter(machine, state, value);
  const nb::object abc = library_object("abc", "ABCMeta");
  const bool is_abc =
      type_attribute(wanted.type(), "__instancecheck__").is(type_attribute(abc, "__instancecheck__"));
  if (!is_abc)
    machine.refuse(state, "python.instance_check",
                   full_name_of(wanted) + " decides itself what its instances are", "test for a plain class");
  const int found = PyObject_IsSubclass(type.ptr(), wanted.ptr());
  if (found < 0) throw nb::python_error();
  return found == 1;
}

void refuse_own_class(NativeCall& call, nb::handle type) {
  const nb::object shown = type_attribute(type, "__class__");
  if (PyObject_TypeCheck(shown.ptr(), &PyProperty_Type) != 0 && !is_library(shown.attr("fget")))
    call.machine.refuse(call.state, "python.instance_check",
                        full_name_of(type) + " says itself what its class is", "use type()");
}

std::optional<Outcome> is_instance(NativeCall& call) {
  if (!call.plain(2, 2)) return std::nullopt;
  const nb::object wanted = call.machine.need(call.state, call.at(1), "the class of isinstance()");
  if (const nb::object* live = call.at(0).constant()) {
    refuse_own_class(call, live->type());
    if (PyType_Check(wanted.ptr())) {
      const nb::object check = type_attribute(wanted.type(), "__instancecheck__");
      if (PyFunction_Check(check.ptr()) && !is_library(check))
        return partial_eval::call(call.machine, call.state, known(check), {{known(wanted), call.at(0)}, {}});
    }
    const int found = PyObject_IsInstance(live->ptr(), wanted.ptr());
    if (found < 0) throw nb::python_error();
    return known_bool(found == 1);
  }
  const nb::object type = shown_type(type_of(call.machine, call.state, call.at(0)));
  refuse_own_class(call, type);
  return known_bool(is_instance_of(call.machine, call.state, call.at(0), type, wanted));
}

std::optional<Outcome> type_call(NativeCall& call) {
  if (call.plain(1, 1)) {
    const nb::object type = class_of(call.machine, call.state, call.at(0));
    const bool asks_itself = call.machine.torch.is_prelude(call.state.top().function->ir.file);
    return known(asks_itself ? type : shown_type(type));
  }
  if (call.plain(3, 3))
    call.machine.refuse(call.state, "python.class_made", "a class is made while the model runs",
                        "define the class at the top of the file");
  return std::nullopt;
}

std::string attribute_name(NativeCall& call, const char* function) {
  const nb::object name = call.machine.need(call.state, call.at(1), "the name of an attribute");
  if (!PyUnicode_Check(name.ptr()))
    throw_python(PyExc_TypeError, std::string(function) + "attribute name must be string");
  return nb::cast<std::string>(name);
}

// Looks without leaving traces: nullopt when code of the user's would have to run.
std::optional<Outcome> try_get(NativeCall& call, const std::string& name) {
  const State before = call.state;
  try {
    Outcome found = get_attr(call.machine, call.state, call.at(0), name);
    if (std::holds_alternative<AbstractValue>(found) || std::holds_alternative<Raised>(found)) return found;
  } catch (nb::python_error& error) {
    return raised_by_python(error);
  }
  call.state = before;
  return std::nullopt;
}

bool is_attribute_error(NativeCall& call, const Outcome& outcome) {
  const auto* raised = std::get_if<Raised>(&outcome);
  return raised != nullptr &&
         exception_matches(call.machine, call.state, raised->exception, nb::borrow(PyExc_AttributeError));
}

std::optional<Outcome> get_attribute(NativeCall& call) {
  if (!call.plain(2, 3)) return std::nullopt;
  const std::string name = attribute_name(call, "");
  if (call.count() == 2) return get_attr(call.machine, call.state, call.at(0), name);
  const auto found = try_get(call, name);
  if (!found) return call_prelude(call.machine, call.state, "getattr_default", call.arguments);
  return is_attribute_error(call, *found) ? Outcome(call.at(2)) : *found;
}

std::optional<Outcome> ask_attribute(NativeCall& call) {
  if (!call.plain(2, 2)) return std::nullopt;
  const auto found = try_get(call, attribute_name(call, "hasattr(): "));
  if (!found) return call_prelude(call.machine, call.state, "has_attribute", call.arguments);
  if (is_attribute_error(call, *found)) return known_bool(false);
  return std::holds_alternative<AbstractValue>(*found) ? Outcome(known_bool(true)) : *found;
}

std::optional<Outcome> set_attribute(NativeCall& call) {
  if (!call.plain(3, 3)) return std::nullopt;
  return set_attr(call.machine, call.state, call.at(0), attribute_name(call, ""), call.at(2));
}

std::optional<Outcome> delete_attribute(NativeCall& call) {
  if (!call.plain(2, 2)) return std::nullopt;
  return delete_attr(call.machine, call.state, call.at(0), attribute_name(call, ""));
}

std::optional<Outcome> is_callable(NativeCall& call) {
  if (!call.plain(1, 1)) return std::nullopt;
  const AbstractValue& value = call.at(0);
  if (const nb::object* live = value.constant()) return known_bool(PyCallable_Check(live->ptr()) != 0);
  const nb::object type = type_of(call.machine, call.state, value);
  return known_bool(reinterpret_cast<PyTypeObject*>(type.ptr())->tp_call != nullptr);
}

// The hash follows from the value alone: that of a number, or of a tuple or frozenset of such. Those of texts
// have a seed, and those of most other objects are made of addresses.
bool has_same_hash_everywhere(nb::handle value) {
  if (PyTuple_CheckExact(value.ptr()) || PyFrozenSet_CheckExact(value.ptr()))
    return std::ranges::all_of(live_elements(value), [](const AbstractValue& element) {
      return has_same_hash_everywhere(*element.constant());
    });
  if (PyFloat_Check(value.ptr())) return !std::isnan(PyFloat_AS_DOUBLE(value.ptr()));
  return PyLong_Check(value.ptr()) || nb::isinstance(value, library_object("fractions", "Fraction"));
}

std::optional<Outcome> hash_of(NativeCall& call) {
  if (!call.plain(1, 1)) return std::nullopt;
  const nb::object* live = call.at(0).constant();
  const bool asks_class = live != nullptr && is_user_method(live->type(), "__hash__");
  if (call.all_known() && asks_class) return std::nullopt;
  const nb::object value = hashable(call.machine, call.state, call.at(0), "what is hashed");
  if (!has_same_hash_everywhere(value))
    call.machine.refuse(call.state, "python.identity",
                        "hash() of " + described(value) + " is another number in another process",
                        "use a number that follows from the value, as sum(text.encode()) does, or look the "
                        "value up in a dict");
  if (call.all_known()) return std::nullopt;
  return known_int(PyObject_Hash(value.ptr()));
}

std::optional<Outcome> identity(NativeCall& call) {
  if (!call.plain(1, 1)) return std::nullopt;
  call.machine.refuse(call.state, "python.identity", "id() of an object is another number in every run",
                      "compare objects with `is`");
}

// A number that came over an edge, or out of a sequence, may be an object that has another name here.
bool may_have_come(const Hcfg& graph, ValueId id) {
  for (const Block& block : graph.blocks) {
    if (std::ranges::find(block.parameters, id) != block.parameters.end()) return true;
    for (const Step& step : block.steps)
      if (const auto* host = std::get_if<HostStep>(&step); host != nullptr && host->op == HostOp::SeqAt)
        if (std::ranges::find(host->outputs, id) != host->outputs.end()) return true;
  }
  return false;
}

std::optional<Outcome> may_be_one_call(NativeCall& call) {
  const ScalarValue* left = call.at(0).scalar();
  const ScalarValue* right = call.at(1).scalar();
  if (left == nullptr || right == nullptr || left->kind != ScalarKind::F64 || right->kind != ScalarKind::F64)
    return known_bool(false);
  const Hcfg& graph = call.machine.emitter.graph;
  const bool may_be_one = may_have_come(graph, left->id) || may_have_come(graph, right->id);
  if (may_be_one && may_be_caught(call.state))
    call.machine.refuse(call.state, "python.caught_number_error",
                        "a container compares numbers that may be NaN, inside of a try that might catch what "
                        "DyCL raises then",
                        "test the numbers first, outside of the try");
  return known_bool(may_be_one);
}

std::optional<Outcome> is_integers_of_the_run(NativeCall& call) {
  const auto* sequence = call.state.heap.get<SequenceObject>(current(call.state, call.at(0)));
  const ScalarValue* element = sequence == nullptr ? nullptr : sequence->element.scalar();
  return known_bool(element != nullptr && element->kind == ScalarKind::I64);
}

const char* way_around(const std::string& name) {
  if (name == "eval" || name == "exec" || name == "compile") return "write the code into the model itself";
  if (name == "locals" || name == "globals" || name == "dir")
    return "use the names themselves, or keep the values in a dict of your own";
  return "call it outside of the model, and pass what it gives as an input";
}

std::optional<Outcome> refused(NativeCall& call) {
  const std::string name = text_or_empty(call.callee, "__name__");
  call.machine.refuse(call.state, "python.refused_builtin",
                      name + "() is not available in a compiled program", way_around(name));
}

std::optional<Outcome> make_unknown_truth(NativeCall& call) {
  return unknown_scalar(call.machine, call.state, ScalarKind::Bool);
}
std::optional<Outcome> make_unknown_number(NativeCall& call) {
  return unknown_scalar(call.machine, call.state, ScalarKind::I64);
}

std::optional<Outcome> complex_number(NativeCall& call) {
  if (call.all_known()) return std::nullopt;
  call.machine.refuse(call.state, "python.complex", "a complex number depends on the input",
                      "keep real and imaginary part in tensors");
}

}  // namespace

void add_type_natives(NativeTable& table) {
  table.add("dycl.prelude.methods", "may_be_one", may_be_one_call);
  table.add("dycl.prelude.methods", "is_integers_of_the_run", is_integers_of_the_run);
  table.add("dycl.prelude.obstacles", "unknown_truth", make_unknown_truth);
  table.add("dycl.prelude.obstacles", "unknown_number", make_unknown_number);
  table.add("builtins", "isinstance", is_instance);
  table.add("builtins", "type", type_call);
  table.add("builtins", "getattr", get_attribute);
  table.add("builtins", "hasattr", ask_attribute);
  table.add("builtins", "setattr", set_attribute);
  table.add("builtins", "delattr", delete_attribute);
  table.add("builtins", "callable", is_callable);
  table.add("builtins", "hash", hash_of);
  table.add("builtins", "id", identity);
  table.add("builtins", "complex", complex_number);
  table.add("builtins", "dir globals locals eval exec compile open input __import__ breakpoint", refused);
}

}  // namespace dycl::partial_eval
