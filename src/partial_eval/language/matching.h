// SPDX-License-Identifier: Apache-2.0
// What `match` asks of its subject beyond plain operations.
#pragma once

#include "partial_eval/machine/machine.h"
#include "program/instruction.h"

namespace dycl::partial_eval {

Outcome match_sequence(Machine& machine, State& state, const AbstractValue& subject);
Outcome match_mapping(Machine& machine, State& state, const AbstractValue& subject);
Outcome match_keys(Machine& machine, State& state, const AbstractValue& subject, const AbstractValue& keys);
Outcome match_class(Machine& machine, State& state, const AbstractValue& subject, const AbstractValue& type,
                    const program::Instruction& instruction);

}  // namespace dycl::partial_eval
