// SPDX-License-Identifier: Apache-2.0
// Items of lists, tuples and live sequences.
#pragma once

#include <functional>
#include <vector>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// What Python raises for an index outside of a live container.
Raised outside_of(Machine& machine, State& state, nb::handle live, const ScalarValue& index);
// Ends the block with a switch over an int that depends on the input: case i of n calls taken(child, i), a
// number outside -n … n-1 raises.
Outcome switch_over(Machine& machine, State& state, const ScalarValue& index, std::size_t cases,
                    const std::function<AbstractValue(State&, std::size_t)>& taken, const Raised& outside);
// elements[index] for an index that depends on the input.
Outcome indexed_by_scalar(Machine& machine, State& state, std::vector<AbstractValue> elements,
                          const ScalarValue& index, const Raised& outside);

// Heap or live lists and tuples.
Outcome sequence_item(Machine& machine, State& state, const AbstractValue& sequence,
                      const AbstractValue& key);
Outcome set_list_item(Machine& machine, State& state, const AbstractValue& list, const AbstractValue& key,
                      const AbstractValue& value);
Outcome delete_list_item(Machine& machine, State& state, const AbstractValue& list, const AbstractValue& key);

}  // namespace dycl::partial_eval
