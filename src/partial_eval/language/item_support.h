// SPDX-License-Identifier: Apache-2.0
// Items of lists, tuples and dicts.
#pragma once

#include "partial_eval/builtins/native_call.h"

namespace dycl::partial_eval {

// What hashable() says of a key that it refuses.
inline constexpr const char* kKeyRole = "a key of a dict";

// "a list", "a ModuleList": for messages.
std::string described(nb::handle live);

std::vector<AbstractValue> live_elements(nb::handle live);

// What Python raises for an index outside of a live container.
Raised outside_of(Machine& machine, State& state, nb::handle live, const ScalarValue& index);

// elements[index] for an index that depends on the input.
Outcome indexed_by_scalar(Machine& machine, State& state, std::vector<AbstractValue> elements,
                          const ScalarValue& index, const Raised& outside);

// Heap or live lists and tuples.
Outcome sequence_item(Machine& machine, State& state, const AbstractValue& sequence,
                      const AbstractValue& key);
Outcome set_list_item(Machine& machine, State& state, const AbstractValue& list, const AbstractValue& key,
                      const AbstractValue& value);
Outcome delete_list_item(Machine& machine, State& state, const AbstractValue& list, const AbstractValue& key);

// live[key] of a dict whose class defines __missing__; null: it is no such dict.
std::optional<Outcome> item_or_missing(Machine& machine, State& state, const nb::object& live,
                                       const AbstractValue& key);

// Heap or live dicts.
Outcome set_dict_item(Machine& machine, State& state, const AbstractValue& dict, const AbstractValue& key,
                      const AbstractValue& value);
Outcome delete_dict_item(Machine& machine, State& state, const AbstractValue& dict, const AbstractValue& key);

}  // namespace dycl::partial_eval
