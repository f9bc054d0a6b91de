// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/data/types.h"

#include <fmt/format.h>

#include "base/overloaded.h"
#include "partial_eval/data/containers.h"
#include "partial_eval/values/live_object.h"
#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {

namespace {

nb::object iterator_type(const State& state, const IteratorObject& iterator) {
  if (iterator.shown.is_valid()) return iterator.shown;
  const AbstractValue source = current(state, iterator.source);
  if (const nb::object* live = source.constant()) return type_of_live(owned(PyObject_GetIter(live->ptr())));
  if (const auto view = view_of(state, source)) {
    const nb::object empty = nb::dict();
    return type_of_live(owned(PyObject_GetIter(nb::object(empty.attr(view->kind.c_str())()).ptr())));
  }
  if (const auto* walk = state.heap.get<InstanceObject>(source)) return walk->type;  // of a set
  if (state.heap.get<RangeObject>(source) != nullptr) return builtin(PyRangeIter_Type);
  const bool of_tuple =
      state.heap.get<TupleObject>(source) != nullptr || state.heap.get<TensorObject>(source) != nullptr;
  return builtin(of_tuple ? PyTupleIter_Type : PyListIter_Type);
}

}  // namespace

nb::object type_of(Machine& machine, const State& state, const AbstractValue& given) {
  const AbstractValue value = current(state, given);
  if (const nb::object* live = value.constant()) return type_of_live(*live);
  if (const ScalarValue* scalar = value.scalar()) {
    if (scalar->kind == ScalarKind::Bool) return builtin(PyBool_Type);
    return builtin(scalar->kind == ScalarKind::I64 ? PyLong_Type : PyFloat_Type);
  }
  if (!value.bound()) internal_error("the type of an unbound value");
  return std::visit(Overloaded{
                        [&](const TensorObject&) { return machine.torch.tensor_class(); },
                        [](const ArrayObject& array) { return type_of_live(array.contents); },
                        [](const ListObject&) { return builtin(PyList_Type); },
                        [](const SequenceObject& sequence) {
                          return builtin(sequence.is_tuple ? PyTuple_Type : PyList_Type);
                        },
                        [](const TupleObject& tuple) { return tuple.type; },
                        [](const DictObject& dict) { return dict.type; },
                        [](const SetObject& set) { return set.type; },
                        [](const InstanceObject& instance) { return instance.type; },
                        [](const CellObject&) { return builtin(PyCell_Type); },
                        [](const FunctionObject&) { return builtin(PyFunction_Type); },
                        [](const MethodObject&) { return builtin(PyMethod_Type); },
                        [](const NativeMethodObject&) { return builtin(PyCFunction_Type); },
                        [](const RangeObject&) { return builtin(PyRange_Type); },
                        [&](const IteratorObject& iterator) { return iterator_type(state, iterator); },
                        [](const GeneratorObject& generator) {
                          return generator.shown.is_valid() ? generator.shown : builtin(PyGen_Type);
                        },
                        [](const PartialObject&) { return library_object("functools", "partial"); },
                        [](const SliceObject&) { return builtin(PySlice_Type); },
                        [](const SuperObject&) { return builtin(PySuper_Type); },
                        [](const TextObject&) { return builtin(PyUnicode_Type); },
                    },
                    state.heap.at(*value.object()));
}

std::string type_name(Machine& machine, const State& state, const AbstractValue& value) {
  return reinterpret_cast<PyTypeObject*>(type_of(machine, state, value).ptr())->tp_name;
}

bool is_any_tensor(const Machine& machine, const State& state, const AbstractValue& value) {
  if (state.heap.get<TensorObject>(value) != nullptr) return true;
  return value.constant() != nullptr && machine.torch.is_tensor(*value.constant());
}

Raised no_attribute(const Machine& machine, nb::handle type, const std::string& name) {
  return machine.raise(PyExc_AttributeError,
                       fmt::format("'{}' object has no attribute '{}'", class_name(type), name));
}

}  // namespace dycl::partial_eval
