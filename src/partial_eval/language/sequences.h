// SPDX-License-Identifier: Apache-2.0
// Lists whose length depends on the path: sequences of the runtime.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "partial_eval/data/elements.h"
#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// An element, made as SequenceObject::element is, with these values in the place of its numbers and tensors.
// Whatever is written to it would have to be seen through the list, so nothing may be.
AbstractValue element_with(State& state, const SequenceObject& sequence, std::span<const ValueId> values);

// What lies in such a list can be read from there, too: from now on nothing is written to it. `origins` are
// the list's.
void put_into_list(const Machine& machine, State& state, const AbstractValue& item, const Origins& origins);

// Refuses to write to such an object, or to tell it apart from others. Throws Restart where the meeting that
// put it into a list can be undone.
[[noreturn]] void refuse_frozen(Machine& machine, const State& state, const Origins& origins,
                                std::string code, std::string message, std::string hint);

// The sequence that has these elements, of which there are some, and all of one type.
SequenceObject sequence_of(Machine& machine, State& state, const std::vector<AbstractValue>& items,
                           const Origins& origins);

Outcome sequence_length(Machine& machine, State& state, const SequenceObject& sequence);
Outcome sequence_at(Machine& machine, State& state, const SequenceObject& sequence,
                    const AbstractValue& index);
// Returns the element at an index that is known to be in range.
AbstractValue sequence_element(Machine& machine, State& state, const SequenceObject& sequence,
                               const AbstractValue& index);
[[noreturn]] void refuse_sequence(Machine& machine, const State& state, const SequenceObject& sequence,
                                  const std::string& use);

// A tuple with more elements behind those of another, whose length depends on the path; nullopt: they are not
// of one type.
std::optional<Outcome> extended_tuple(Machine& machine, State& state, const SequenceObject& tuple,
                                      const std::vector<AbstractValue>& more);

// list[index] = value and del list[index]. Refuse what is not modelled.
Outcome set_sequence_item(Machine& machine, State& state, ObjectRef self, const AbstractValue& index,
                          const AbstractValue& value);
Outcome delete_sequence_item(Machine& machine, State& state, ObjectRef self, const AbstractValue& index);

// A method of such a list. Refuses what is not modelled.
std::optional<Outcome> sequence_method(Machine& machine, State& state, ObjectRef self,
                                       const std::string& name, Arguments& arguments);

}  // namespace dycl::partial_eval
