// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/dict_views.h"

#include "partial_eval/data/containers.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

// The keys of a dict as a set; anything else as it is.
AbstractValue keys_as_set(Machine& machine, State& state, const AbstractValue& value) {
  const auto view = view_of(state, value);
  if (!view) return value;
  if (view->kind != "keys")
    machine.refuse(state, "python.native_method",
                   "an operator is applied to the " + view->kind + "() of a dict",
                   "make a list of them first");
  SetObject keys{{}, builtin(PySet_Type)};
  for (const auto& [key, entry] : dict_entries(state, view->dict)) keys.items.push_back(key);
  return state.make(std::move(keys));
}

}  // namespace

std::optional<Outcome> view_operator(Machine& machine, State& state, const char* special,
                                     const AbstractValue& left, const AbstractValue& right) {
  if (!view_of(state, left) && !view_of(state, right)) return std::nullopt;
  const AbstractValue first = keys_as_set(machine, state, left), second = keys_as_set(machine, state, right);
  if (!is_set(state, first)) return std::nullopt;
  Arguments other{{second}, {}};
  return machine.builtins.call_method(machine, state, first, special, other);
}

}  // namespace dycl::partial_eval
