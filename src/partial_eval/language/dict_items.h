// SPDX-License-Identifier: Apache-2.0
// Items of dicts.
#pragma once

#include <optional>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// dict[key]; `otherwise` bound: given instead of a KeyError, without a default factory.
Outcome dict_item(Machine& machine, State& state, const AbstractValue& dict, const AbstractValue& key,
                  const AbstractValue& otherwise = {});

// live[key] of a dict whose class defines __missing__; null: it is no such dict.
std::optional<Outcome> item_or_missing(Machine& machine, State& state, const nb::object& live,
                                       const AbstractValue& key);

// Heap or live dicts.
Outcome set_dict_item(Machine& machine, State& state, const AbstractValue& dict, const AbstractValue& key,
                      const AbstractValue& value);
Outcome delete_dict_item(Machine& machine, State& state, const AbstractValue& dict, const AbstractValue& key);

}  // namespace dycl::partial_eval
