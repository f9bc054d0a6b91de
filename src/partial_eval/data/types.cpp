// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/data/types.h"

#include <fmt/format.h>

#include "base/overloaded.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {

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
                        [](const IteratorObject&) { return builtin(PyListIter_Type); },
                        [](const GeneratorObject&) { return builtin(PyGen_Type); },
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
