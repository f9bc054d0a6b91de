// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/values/heap.h"

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

// Ids are never used again, so that a stale one cannot name another object.
std::size_t fresh_id() {
  static std::size_t last = 0;  // under the GIL
  return ++last;
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

Heap::Table& Heap::own_table() {
  if (!table_) table_ = std::make_shared<Table>();
  if (table_.use_count() > 1) table_ = std::make_shared<Table>(*table_);
  return *table_;
}

ObjectRef Heap::add(Object object) {
  const ObjectRef ref{HeapId(fresh_id())};
  own_table().emplace(ref.id, std::make_shared<Object>(std::move(object)));
  return ref;
}

Heap Heap::empty_copy() const {
  Heap copy;
  copy.table_ = std::make_shared<Table>();
  copy.protected_ = protected_;
  return copy;
}

void Heap::protect(ObjectRef ref) {
  if (!protected_) protected_ = std::make_shared<std::set<HeapId>>();
  protected_->insert(ref.id);
}

Object& Heap::edit(ObjectRef ref) {
  if (protected_ && protected_->contains(ref.id)) throw ProtectedWrite{};
  std::shared_ptr<Object>& entry = own_table().at(ref.id);
  if (entry.use_count() > 1) entry = std::make_shared<Object>(*entry);
  return *entry;
}

void Heap::put(HeapId id, Object object) {
  own_table().insert_or_assign(id, std::make_shared<Object>(std::move(object)));
}

void Heap::for_each(const std::function<void(ObjectRef, const Object&)>& visit) const {
  if (!table_) return;
  for (const auto& [id, object] : *table_) visit(ObjectRef{id}, *object);
}

void Heap::keep_only(const std::function<bool(HeapId)>& reachable) {
  if (!table_) return;
  auto kept = std::make_shared<Table>();
  for (const auto& [id, object] : *table_)
    if (reachable(id)) kept->emplace(id, object);
  table_ = std::move(kept);
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
