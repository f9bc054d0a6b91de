// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/values/objects.h"

#include "base/overloaded.h"

namespace dycl::partial_eval {
namespace {

using Visit = std::function<void(const AbstractValue&)>;

void visit_all(const std::vector<AbstractValue>& values, const Visit& visit) {
  for (const AbstractValue& value : values) visit(value);
}

template <class Named>
void visit_named(const Named& values, const Visit& visit) {
  for (const auto& [name, value] : values) visit(value);
}

void visit_frame(const Frame& frame, const Visit& visit) {
  visit_all(frame.registers, visit);
  visit(frame.kept);
  for (const auto& [operand, value] : frame.replaced) visit(value);
}

}  // namespace

bool is_same_key(nb::handle one, nb::handle other) {
  if (one.is(other)) return true;
  const Py_hash_t first = PyObject_Hash(one.ptr()), second = PyObject_Hash(other.ptr());
  if (first == -1 || second == -1) throw nb::python_error();
  if (first != second) return false;
  const int equal = PyObject_RichCompareBool(one.ptr(), other.ptr(), Py_EQ);
  if (equal < 0) throw nb::python_error();
  return equal == 1;
}

std::optional<std::size_t> DictObject::find(nb::handle key) const {
  for (std::size_t index = 0; index < entries.size(); ++index)
    if (is_same_key(entries[index].first, key)) return index;
  return std::nullopt;
}

void for_each_child(const Object& object, const Visit& visit) {
  std::visit(Overloaded{
                 [](const TensorObject&) {},
                 [](const ArrayObject&) {},
                 [](const SetObject&) {},
                 [](const TextObject&) {},
                 [&](const ListObject& list) { visit_all(list.items, visit); },
                 [&](const SequenceObject& sequence) { visit(sequence.element); },
                 [&](const TupleObject& tuple) { visit_all(tuple.items, visit); },
                 [&](const DictObject& dict) {
                   for (const auto& [key, value] : dict.entries) visit(value);
                   visit(dict.default_factory);
                 },
                 [&](const InstanceObject& instance) { visit_named(instance.attributes, visit); },
                 [&](const CellObject& cell) { visit(cell.content); },
                 [&](const FunctionObject& function) {
                   visit_all(function.defaults, visit);
                   visit_named(function.keyword_defaults, visit);
                   visit_all(function.closure, visit);
                   visit_named(function.attributes, visit);
                 },
                 [&](const MethodObject& method) {
                   visit(method.self);
                   visit(method.function);
                 },
                 [&](const NativeMethodObject& method) { visit(method.self); },
                 [&](const RangeObject& range) {
                   visit(range.start);
                   visit(range.stop);
                 },
                 [&](const IteratorObject& iterator) {
                   visit(iterator.source);
                   visit(iterator.position);
                 },
                 [&](const GeneratorObject& generator) { visit_frame(generator.frame, visit); },
                 [&](const PartialObject& partial) {
                   visit(partial.function);
                   visit_all(partial.arguments, visit);
                   visit(partial.keywords);
                 },
                 [&](const SliceObject& slice) {
                   visit(slice.start);
                   visit(slice.stop);
                   visit(slice.step);
                 },
                 [&](const SuperObject& super) { visit(super.self); },
             },
             object);
}

void replace_children(Object& object, std::vector<AbstractValue> values) {
  std::size_t next = 0;
  // Every child is a member of a mutable object: the visitor's const is ours to drop.
  for_each_child(object, [&](const AbstractValue& child) {
    const_cast<AbstractValue&>(child) = std::move(values[next++]);
  });
}

std::string kind_name(const Object& object) {
  return std::visit(Overloaded{
                        [](const TensorObject&) { return "Tensor"; },
                        [](const ArrayObject&) { return "ndarray"; },
                        [](const ListObject&) { return "list"; },
                        [](const SequenceObject& sequence) { return sequence.is_tuple ? "tuple" : "list"; },
                        [](const TupleObject&) { return "tuple"; },
                        [](const DictObject&) { return "dict"; },
                        [](const SetObject&) { return "set"; },
                        [](const InstanceObject&) { return "object"; },
                        [](const CellObject&) { return "cell"; },
                        [](const FunctionObject&) { return "function"; },
                        [](const MethodObject&) { return "method"; },
                        [](const NativeMethodObject&) { return "builtin_function_or_method"; },
                        [](const RangeObject&) { return "range"; },
                        [](const IteratorObject&) { return "iterator"; },
                        [](const GeneratorObject&) { return "generator"; },
                        [](const PartialObject&) { return "functools.partial"; },
                        [](const SliceObject&) { return "slice"; },
                        [](const SuperObject&) { return "super"; },
                        [](const TextObject&) { return "str"; },
                    },
                    object);
}

}  // namespace dycl::partial_eval
