// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/dict_views.h"

#include <array>

#include "partial_eval/data/containers.h"
#include "partial_eval/data/twins.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/iteration.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

// Live keys as the dict has them now; their dict has no values.
nb::object live_keys(Machine& machine, State& state, const DictView& view) {
  if (view.kind != "keys")
    machine.refuse(state, "python.native_method",
                   "an operator is applied to the " + view.kind + "() of a dict",
                   "make a list of them first");
  nb::dict keys;
  for (const auto& [key, entry] : dict_entries(state, view.dict)) {
    refuse_own_key(machine, state, key);
    keys[key] = nb::none();
  }
  return keys.attr("keys")();
}

// keys() & [1, 2]: these operators take anything that can be walked.
nb::object live_elements_of(Machine& machine, State& state, const AbstractValue& value) {
  const bool is_plain = is_any_list(state, value) || is_dict(state, value) ||
                        state.heap.get<TupleObject>(value) != nullptr ||
                        (value.constant() != nullptr && PyTuple_CheckExact(value.constant()->ptr()));
  const auto elements = is_plain ? elements_of(machine, state, value) : std::nullopt;
  if (!elements)
    machine.refuse(state, "python.native_method",
                   "the keys() of a dict meet a " + type_name(machine, state, value) + " in an operator",
                   "make sets of both first");
  nb::list items;
  for (const AbstractValue& element : *elements)
    items.append(hashable(machine, state, element, "an element of a set"));
  return items;
}

bool is_arithmetic(std::string_view special) {
  return special == "__and__" || special == "__or__" || special == "__sub__" || special == "__xor__";
}

}  // namespace

std::optional<Outcome> view_operator(Machine& machine, State& state, const char* special,
                                     const AbstractValue& left, const AbstractValue& right) {
  if (!view_of(state, left) && !view_of(state, right)) return std::nullopt;
  const auto as_live = [&](const AbstractValue& value) -> nb::object {
    if (const auto view = view_of(state, value)) return live_keys(machine, state, *view);
    if (is_set(state, value)) {
      for (const nb::object& item : set_items(state, value)) refuse_own_key(machine, state, item);
      return set_contents(state, value);
    }
    if (is_arithmetic(special)) return live_elements_of(machine, state, value);
    machine.refuse(state, "python.native_method",
                   "the keys() of a dict are compared with a " + type_name(machine, state, value),
                   "compare sets of both");
  };
  const nb::object result = library_object("operator", special)(as_live(left), as_live(right));
  return PyAnySet_CheckExact(result.ptr()) ? new_set(state, result, std::array{left, right}) : known(result);
}

}  // namespace dycl::partial_eval
