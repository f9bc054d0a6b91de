// SPDX-License-Identifier: Apache-2.0
// Lists whose length depends on the path: sequences of the runtime.
#pragma once

#include <optional>
#include <string>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

Outcome sequence_length(Machine& machine, State& state, const SequenceObject& sequence);
Outcome sequence_at(Machine& machine, State& state, const SequenceObject& sequence,
                    const AbstractValue& index);
// Of an index that is known to be in range.
AbstractValue sequence_element(Machine& machine, State& state, const SequenceObject& sequence,
                               const AbstractValue& index);
[[noreturn]] void refuse_sequence(Machine& machine, const State& state, const SequenceObject& sequence,
                                  const std::string& use);

// A tuple with more elements behind those of another, whose length depends on the path; nullopt: they are not
// of one type.
std::optional<Outcome> extended_tuple(Machine& machine, State& state, const SequenceObject& tuple,
                                      const std::vector<AbstractValue>& more);

// A method of such a list. Refuses what is not modelled.
std::optional<Outcome> sequence_method(Machine& machine, State& state, ObjectRef self,
                                       const std::string& name, Arguments& arguments);

}  // namespace dycl::partial_eval
