// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/torch/read_arguments.h"

#include <algorithm>
#include <set>

#include "partial_eval/torch/read_tensor.h"
#include "partial_eval/values/live_kinds.h"

namespace dycl::partial_eval {
namespace {

// Of a list or a tuple; of a known tuple, too, which may hold known tensors.
std::optional<std::vector<AbstractValue>> items_of(const State& state, const AbstractValue& value) {
  if (const auto* list = state.heap.get<ListObject>(value)) return list->items;
  if (const auto* tuple = state.heap.get<TupleObject>(value)) return tuple->items;
  const nb::object* live = value.constant();
  if (live == nullptr || !PyTuple_CheckExact(live->ptr())) return std::nullopt;
  std::vector<AbstractValue> items;
  for (const nb::handle item : *live) items.push_back(known(nb::borrow(item)));
  return items;
}

bool has_no_dims(const State& state, const AbstractValue& value) {
  if (const nb::object* live = value.constant())
    return is_plain_tensor(*live) && nb::cast<int>(live->attr("dim")()) == 0;
  const auto* tensor = state.heap.get<TensorObject>(value);
  return tensor != nullptr && tensor->spec->shape.empty();
}

bool is_same(const AbstractValue& one, const AbstractValue& other) {
  if (one.constant() != nullptr && other.constant() != nullptr) return one.constant()->is(*other.constant());
  return one.object() != nullptr && other.object() != nullptr && one.object()->id == other.object()->id;
}

void add_without_dims(const State& state, const AbstractValue& given, std::vector<AbstractValue>& found) {
  const AbstractValue value = current(state, given);
  const bool is_new =
      std::ranges::none_of(found, [&](const AbstractValue& other) { return is_same(value, other); });
  if (has_no_dims(state, value) && is_new) found.push_back(value);
  if (const auto items = items_of(state, value))
    for (const AbstractValue& item : *items) add_without_dims(state, item, found);
}

struct ReadNumber {
  AbstractValue tensor, number;
};

AbstractValue replaced(State& state, const AbstractValue& given, const std::vector<ReadNumber>& numbers) {
  const AbstractValue value = current(state, given);
  for (const ReadNumber& read : numbers)
    if (is_same(value, read.tensor)) return read.number;
  std::optional<std::vector<AbstractValue>> items = items_of(state, value);
  if (!items) return value;
  for (AbstractValue& item : *items) item = replaced(state, item, numbers);
  if (state.heap.get<ListObject>(value) != nullptr) return state.make(ListObject{std::move(*items)});
  const auto* tuple = state.heap.get<TupleObject>(value);
  const nb::object type =
      tuple != nullptr ? tuple->type : nb::borrow(reinterpret_cast<PyObject*>(&PyTuple_Type));
  return state.make(TupleObject{std::move(*items), type});
}

}  // namespace

void refuse_class_of_items(const Machine& machine, const State& state, nb::handle type,
                           const std::string& callee) {
  if (redefines_items(type))
    machine.refuse(state, "python.leaf_argument",
                   "a list or tuple of the class " + class_name(type) + " is passed to " + callee +
                       ", which reads its items past the methods of that class",
                   "pass list(…) or tuple(…) of it");
}

void refuse_own_items(const Machine& machine, const State& state, nb::handle live,
                      const std::string& callee) {
  std::vector<nb::handle> open{live};
  std::set<PyObject*> seen;  // a list may hold itself
  while (!open.empty()) {
    const nb::handle next = open.back();
    open.pop_back();
    refuse_class_of_items(machine, state, next.type(), callee);
    const bool holds = PyList_CheckExact(next.ptr()) || PyTuple_CheckExact(next.ptr());
    if (!holds || !seen.insert(next.ptr()).second) continue;
    for (const nb::handle item : next) open.push_back(item);
  }
}

std::vector<AbstractValue> tensors_without_dims(const State& state, const Arguments& arguments) {
  std::vector<AbstractValue> found;
  for (const AbstractValue& value : arguments.positional) add_without_dims(state, value, found);
  for (const auto& [name, value] : arguments.keywords) add_without_dims(state, value, found);
  return found;
}

AbstractValue read_once(Machine& machine, State& state, const AbstractValue& value) {
  const auto* tensor = state.heap.get<TensorObject>(value);  // null: a known one
  const ValueId id = tensor != nullptr ? tensor->value : ValueId();
  if (const auto found = state.numbers.find(id); tensor != nullptr && found != state.numbers.end())
    return found->second;
  Outcome read = read_tensor(machine, state, value, "inner");
  const auto* number = std::get_if<AbstractValue>(&read);
  if (number == nullptr) internal_error("one number is read from a tensor with several elements");
  if (id.valid()) state.numbers.emplace(id, *number);
  return *number;
}

Arguments with_numbers(Machine& machine, State& state, const Arguments& arguments,
                       const std::vector<AbstractValue>& tensors) {
  std::vector<ReadNumber> numbers;
  for (const AbstractValue& tensor : tensors) numbers.push_back({tensor, read_once(machine, state, tensor)});
  Arguments changed = arguments;
  for (AbstractValue& value : changed.positional) value = replaced(state, value, numbers);
  for (auto& [name, value] : changed.keywords) value = replaced(state, value, numbers);
  return changed;
}

}  // namespace dycl::partial_eval
