// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/container_operators.h"

#include <fmt/format.h>
#include <algorithm>

#include "partial_eval/data/containers.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/structures.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/iteration.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

using program::Operation;

constexpr double kMostRepeated = 200'000;  // elements of a list times a number

bool is_sequence(const State& state, const AbstractValue& value, PyTypeObject* type) {
  if (type == &PyTuple_Type && is_torch_size(state, value)) return true;
  if (const nb::object* object = value.constant()) return Py_IS_TYPE(object->ptr(), type);
  return type == &PyList_Type ? state.heap.get<ListObject>(value) != nullptr
                              : state.heap.get<TupleObject>(value) != nullptr;
}

}  // namespace

std::optional<Outcome> sequence_binary(Machine& machine, State& state, Operation operation, bool inplace,
                                       const AbstractValue& left, const AbstractValue& right) {
  for (PyTypeObject* type : {&PyList_Type, &PyTuple_Type}) {
    const bool is_list = type == &PyList_Type;
    const auto made = [&](std::vector<AbstractValue> items) -> Outcome {
      if (is_list) return state.make(ListObject{std::move(items)});
      if (is_torch_size(state, left) || is_torch_size(state, right))
        return make_size(machine, state, std::move(items));
      return make_tuple(machine, state, std::move(items));
    };
    if (operation == Operation::Add && is_list && inplace && is_sequence(state, left, type)) {
      Arguments elements{{right}, {}};
      Outcome extended = machine.builtins.call_method(machine, state, left, "extend", elements);
      if (!std::holds_alternative<AbstractValue>(extended)) return extended;
      return current(state, left);
    }
    if (operation == Operation::Add && is_sequence(state, left, type) && is_sequence(state, right, type)) {
      std::vector<AbstractValue> items = list_items(state, left);
      const std::vector<AbstractValue> more = list_items(state, right);
      items.insert(items.end(), more.begin(), more.end());
      return made(std::move(items));
    }
    if (operation != Operation::Multiply) continue;
    const bool left_is = is_sequence(state, left, type);
    if (!left_is && !is_sequence(state, right, type)) continue;
    const nb::object times = machine.need(state, left_is ? right : left, "how often a list is repeated");
    if (PyIndex_Check(times.ptr()) != 0 && !is_atom(times))
      machine.refuse(
          state, "python.operator",
          "a list or tuple is repeated by " + described(times) + ", whose __index__ is not asked here",
          "call int() on it first");
    if (PyIndex_Check(times.ptr()) == 0)
      return machine.raise(PyExc_TypeError, "can't multiply sequence by non-int of type '" +
                                                std::string(Py_TYPE(times.ptr())->tp_name) + "'");
    const std::vector<AbstractValue> items = list_items(state, left_is ? left : right);
    const std::int64_t wanted = std::max<std::int64_t>(*known_index(known(times)), 0);
    if (static_cast<double>(wanted) * static_cast<double>(items.size()) > kMostRepeated)
      machine.refuse(state, "python.unroll_limit",
                     fmt::format("a list is repeated to more than {} elements", kMostRepeated),
                     "use a tensor");
    std::vector<AbstractValue> repeated;
    for (std::int64_t count = wanted; count > 0; --count)
      repeated.insert(repeated.end(), items.begin(), items.end());
    if (!inplace || !is_list || !left_is) return made(std::move(repeated));
    const ObjectRef list = writable(machine, state, left);
    state.heap.edit_as<ListObject>(list).items = std::move(repeated);
    return AbstractValue(list);
  }
  return std::nullopt;
}

std::optional<Outcome> set_binary(Machine& machine, State& state, Operation operation,
                                  const std::string& inplace, const AbstractValue& left,
                                  const AbstractValue& right) {
  if (!is_set(state, left) || !is_set(state, right)) return std::nullopt;
  const nb::object type = type_of(machine, state, left);
  if (!inplace.empty() && type.is(reinterpret_cast<PyObject*>(&PySet_Type))) {
    Arguments other{{right}, {}};
    return machine.builtins.call_method(machine, state, left, inplace, other);
  }
  const char* method = operation == Operation::BitOr      ? "union"
                       : operation == Operation::BitAnd   ? "intersection"
                       : operation == Operation::Subtract ? "difference"
                       : operation == Operation::BitXor   ? "symmetric_difference"
                                                          : nullptr;
  if (method == nullptr) return std::nullopt;
  Arguments other{{right}, {}};
  return machine.builtins.call_method(machine, state, left, method, other);
}

}  // namespace dycl::partial_eval
