// SPDX-License-Identifier: Apache-2.0
// Containers seen as values: made, taken apart, turned into live Python objects.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// A live tuple when every element is known, else one on the heap.
AbstractValue make_tuple(Machine& machine, State& state, std::vector<AbstractValue> items);

// A torch.Size likewise; what torch raises where an item is no int.
Outcome make_size(Machine& machine, State& state, std::vector<AbstractValue> items);
bool is_torch_size(const State& state, const AbstractValue& value);

// The entries of a mapping with str keys, for `**mapping`. Refuses what it cannot take apart.
std::vector<std::pair<std::string, AbstractValue>> mapping_entries(Machine& machine, State& state,
                                                                   const AbstractValue& mapping);

// Says whether `value` reaches an object of the heap or a scalar, so that it is not fully known.
bool is_abstract(const Machine& machine, const State& state, const AbstractValue& value);
bool is_any_abstract(const Machine& machine, const State& state, const Arguments& arguments);

}  // namespace dycl::partial_eval
