// SPDX-License-Identifier: Apache-2.0
// Attributes of what the machine models itself: numbers, tensors, containers, functions, iterators.
#include "partial_eval/language/heap_attributes.h"

#include <fmt/format.h>

#include "partial_eval/data/numbers.h"
#include "partial_eval/data/sizes.h"
#include "partial_eval/data/structures.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/torch/layout.h"
#include "partial_eval/torch/leaf.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

struct Request {
  Machine& machine;
  State& state;
  const AbstractValue& self;
  const std::string& name;

  [[nodiscard]] bool is(std::string_view other) const { return name == other; }
};

using Answer = std::optional<Outcome>;

[[noreturn]] void not_modelled(const Request& request, const std::string& hint = {}) {
  const nb::object type = type_of(request.machine, request.state, request.self);
  request.machine.refuse(
      request.state, "python.attribute",
      fmt::format("'{}' of a '{}' that depends on the input is not modelled", request.name, class_name(type)),
      hint);
}

Answer attribute_of(Request& request, const TensorObject& tensor) {
  if (request.is("requires_grad")) return requires_grad(request.machine, request.state, request.self);
  if (request.is("__class__")) return known(class_of(request.machine, request.state, request.self));
  if (request.is("grad") || request.is("grad_fn") || request.is("is_leaf"))
    request.machine.refuse(request.state, "python.tensor_attribute",
                           "a tensor's '" + request.name + "' is read: a compiled program knows no autograd",
                           "decide by an attribute of the model, such as self.training");
  TorchBridge::Attribute found;
  try {
    found = request.machine.torch.attribute(tensor.spec, request.name);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_AttributeError)) throw;  // capture asks the class, which has words of its own
    note_missing_attribute(request.machine, request.state, request.self, request.name);
    return no_attribute(request.machine, request.machine.torch.tensor_class(), request.name);
  }
  if (found.kind == "static") return value_with_sizes(request.machine, request.state, found.value);
  if (found.kind == "leaf")
    return call_leaf(request.machine, request.state, found.value, {{request.self}, {}});
  if (found.kind == "method") return request.state.make(MethodObject{request.self, known(found.value)});
  request.machine.refuse(request.state, "python.tensor_attribute", nb::cast<std::string>(found.value[0]),
                         nb::cast<std::string>(found.value[1]));
}

Answer number_attribute(Request& request, const ScalarValue& scalar) {
  Machine& machine = request.machine;
  const bool whole = scalar.kind != ScalarKind::F64;
  if (request.is("real") || (whole && request.is("numerator")))
    return whole ? convert_number(machine, request.state, request.self, ScalarKind::I64) : request.self;
  if (request.is("imag")) return known(whole ? nb::object(nb::int_(0)) : nb::object(nb::float_(0.0)));
  if (whole && request.is("denominator")) return known(nb::int_(1));
  return std::nullopt;
}

// A field of a named tuple or of torch's tuples with names.
std::optional<std::size_t> field_index(nb::handle type, const std::string& name) {
  nb::object fields = attribute_or_null(type, "_fields");
  if (!fields.is_valid()) fields = attribute_or_null(type, "__match_args__");
  if (!fields.is_valid() || !PyTuple_Check(fields.ptr())) return std::nullopt;
  std::size_t index = 0;
  for (const nb::handle field : nb::borrow<nb::tuple>(fields)) {
    if (nb::cast<std::string>(field) == name) return index;
    ++index;
  }
  return std::nullopt;
}

Answer attribute_of(Request& request, const TupleObject& tuple) {
  if (tuple.type.is(reinterpret_cast<PyObject*>(&PyTuple_Type))) return std::nullopt;
  const auto index = field_index(tuple.type, request.name);
  if (index && *index < tuple.items.size()) return current(request.state, tuple.items[*index]);
  return std::nullopt;
}

Answer attribute_of(Request& request, const FunctionObject& function) {
  const auto found = function.attributes.find(request.name);
  if (found != function.attributes.end() && found->second.bound())
    return current(request.state, found->second);
  if (request.is("__name__")) return known_text(function.code->ir.name);
  if (request.is("__qualname__")) return known_text(function.code->ir.qualified_name);
  if (request.is("__module__")) {
    const nb::object name = entry_or_null(function.globals, "__name__");
    return known(name.is_valid() ? name : nb::none());
  }
  if (request.is("__globals__")) return known(function.globals);
  if (request.is("__call__")) return request.self;
  if (request.is("__defaults__")) {
    if (function.defaults.empty()) return known_none();
    return make_tuple(request.machine, request.state, function.defaults);
  }
  if (type_attribute(reinterpret_cast<PyObject*>(&PyFunction_Type), request.name).is_valid())
    not_modelled(request);
  return no_attribute(request.machine, reinterpret_cast<PyObject*>(&PyFunction_Type), request.name);
}

Answer attribute_of(Request& request, const MethodObject& method) {
  if (request.is("__self__")) return method.self;
  if (request.is("__func__")) return method.function;
  if (request.is("__call__")) return request.self;
  return get_attr(request.machine, request.state, AbstractValue(method.function), request.name);
}

Answer attribute_of(Request& request, const NativeMethodObject& method) {
  if (request.is("__self__")) return method.self;
  if (request.is("__name__")) return known_text(method.name);
  if (request.is("__call__")) return request.self;
  return std::nullopt;
}

Answer attribute_of(Request& request, const GeneratorObject& generator) {
  const bool of_all = request.is("__next__") || request.is("__iter__");
  const bool of_generators = request.is("send") || request.is("close") || request.is("throw");
  if (of_all || (of_generators && !generator.shown.is_valid()))
    return request.state.make(NativeMethodObject{request.self, request.name});
  if (!generator.shown.is_valid()) return std::nullopt;
  if (type_attribute(generator.shown, request.name).is_valid() && !request.is("__class__"))
    not_modelled(request);
  return request.is("__class__") ? Answer(known(generator.shown))
                                 : no_attribute(request.machine, generator.shown, request.name);
}

Answer attribute_of(Request& request, const IteratorObject&) {
  if (request.is("__next__") || request.is("__iter__"))
    return request.state.make(NativeMethodObject{request.self, request.name});
  return std::nullopt;
}

Answer attribute_of(Request& request, const RangeObject& range) {
  if (request.is("start")) return range.start;
  if (request.is("stop")) return range.stop;
  if (request.is("step")) return known(nb::int_(range.step));
  return std::nullopt;
}

Answer attribute_of(Request& request, const PartialObject& partial) {
  if (request.is("func")) return partial.function;
  if (request.is("args")) return make_tuple(request.machine, request.state, partial.arguments);
  if (request.is("__call__")) return request.self;
  return request.is("keywords") ? Answer(partial.keywords) : std::nullopt;
}

Answer attribute_of(Request& request, const SliceObject& slice) {
  if (request.is("start")) return slice.start;
  if (request.is("stop")) return slice.stop;
  if (request.is("step")) return slice.step;
  return std::nullopt;
}

Answer attribute_of(Request& request, const CellObject& cell) {
  if (!request.is("cell_contents")) return std::nullopt;
  if (cell.content.bound()) return current(request.state, cell.content);
  return request.machine.raise(PyExc_ValueError, "Cell is empty");
}

// What the live object itself holds whose twin is asked; null: nothing. The program cannot have written it.
nb::object held_by_original(const Request& request) {
  for (const auto& [live, twin] : request.state.overlay.entries())
    if (twin.id == request.self.object()->id) return entry_or_null(instance_dict(live), request.name);
  return {};
}

Answer attribute_of(Request& request, const DictObject& dict) {
  if (request.is("default_factory") && is_subtype(dict.type, library_object("collections", "defaultdict")))
    return dict.default_factory.bound() ? dict.default_factory : known_none();
  if (!type_attribute(dict.type, "__dict__").is_valid()) return std::nullopt;
  nb::object held = held_by_original(request);
  return held.is_valid() ? Answer(current(request.state, known(std::move(held)))) : std::nullopt;
}

template <class Kind>
Answer attribute_of(Request&, const Kind&) {
  return std::nullopt;
}

// What every kind has: its class, native methods, what its type defines in Python.
Outcome common_attribute(Request& request) {
  const nb::object type = type_of(request.machine, request.state, request.self);
  if (request.is("__class__")) return known(type);
  const nb::object descriptor = type_attribute(type, request.name);
  const bool written_in_python =
      descriptor.is_valid() &&
      (PyFunction_Check(descriptor.ptr()) || PyObject_TypeCheck(descriptor.ptr(), &PyProperty_Type) != 0);
  if (!written_in_python &&
      request.machine.builtins.has_method(request.machine, request.state, request.self, request.name))
    return request.state.make(NativeMethodObject{request.self, request.name});
  if (!descriptor.is_valid()) return no_attribute(request.machine, type, request.name);
  const PyTypeObject* kind = Py_TYPE(descriptor.ptr());
  if (kind == &PyGetSetDescr_Type || kind == &PyMemberDescr_Type || kind == &PyMethodDescr_Type)
    not_modelled(request);
  return bind_descriptor(request.machine, request.state, descriptor, request.self, type, request.name);
}

}  // namespace

Outcome heap_attribute(Machine& machine, State& state, const AbstractValue& value, const std::string& name) {
  Request request{machine, state, value, name};
  Answer answer;
  if (const ScalarValue* scalar = value.scalar()) {
    answer = number_attribute(request, *scalar);
  } else {
    // Allocating leaves the object in place; nothing here edits it.
    answer = std::visit([&](const auto& kind) { return attribute_of(request, kind); },
                        state.heap.at(*value.object()));
  }
  return answer ? std::move(*answer) : common_attribute(request);
}

}  // namespace dycl::partial_eval
