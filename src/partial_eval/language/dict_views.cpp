// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/dict_views.h"

#include <algorithm>

#include "partial_eval/data/containers.h"
#include "partial_eval/data/structures.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/iteration.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

AbstractValue set_of_keys(Machine& machine, State& state, const DictView& view) {
  if (view.kind != "keys")
    machine.refuse(state, "python.native_method",
                   "an operator is applied to the " + view.kind + "() of a dict",
                   "make a list of them first");
  SetObject keys{{}, builtin(PySet_Type)};
  for (const auto& [key, entry] : dict_entries(state, view.dict)) keys.items.push_back(key);
  return state.make(std::move(keys));
}

// keys() & [1, 2]: these operators take anything that can be walked.
AbstractValue set_of_elements(Machine& machine, State& state, const AbstractValue& value) {
  const bool is_plain = is_any_list(state, value) || is_dict(state, value) ||
                        state.heap.get<TupleObject>(value) != nullptr ||
                        (value.constant() != nullptr && PyTuple_CheckExact(value.constant()->ptr()));
  const auto elements = is_plain ? elements_of(machine, state, value) : std::nullopt;
  if (!elements)
    machine.refuse(state, "python.native_method",
                   "the keys() of a dict meet a " + type_name(machine, state, value) + " in an operator",
                   "make sets of both first");
  SetObject made{{}, builtin(PySet_Type)};
  for (const AbstractValue& element : *elements) {
    const nb::object item = hashable(machine, state, element, "an element of a set");
    const bool is_new =
        std::ranges::none_of(made.items, [&](const nb::object& other) { return is_same_key(other, item); });
    if (is_new) made.items.push_back(item);
  }
  return state.make(std::move(made));
}

bool is_arithmetic(std::string_view special) {
  return special == "__and__" || special == "__or__" || special == "__sub__" || special == "__xor__";
}

}  // namespace

std::optional<Outcome> view_operator(Machine& machine, State& state, const char* special,
                                     const AbstractValue& left, const AbstractValue& right) {
  if (!view_of(state, left) && !view_of(state, right)) return std::nullopt;
  const auto as_set = [&](const AbstractValue& value) {
    if (const auto view = view_of(state, value)) return set_of_keys(machine, state, *view);
    if (is_set(state, value) && is_arithmetic(special))  // the result is a set, beside a frozenset too
      return state.make(SetObject{set_items(state, value), builtin(PySet_Type)});
    if (is_set(state, value)) return value;
    if (is_arithmetic(special)) return set_of_elements(machine, state, value);
    machine.refuse(state, "python.native_method",
                   "the keys() of a dict are compared with a " + type_name(machine, state, value),
                   "compare sets of both");
  };
  const AbstractValue first = as_set(left);
  Arguments other{{as_set(right)}, {}};
  return machine.builtins.call_method(machine, state, first, special, other);
}

}  // namespace dycl::partial_eval
