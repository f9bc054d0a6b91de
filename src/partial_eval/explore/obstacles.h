// SPDX-License-Identifier: Apache-2.0
// What stands in the way of a model beside the first thing that is refused, for `dycl explain`: an
// instruction that is refused gives an unknown value (the prelude's Unknown), and the path goes on with it.
#pragma once

#include "partial_eval/machine/machine.h"
#include "program/instruction.h"

namespace dycl::partial_eval {

// Notes a refusal, unless an unknown value is its cause. False: enough is known, or the path cannot go on.
bool note_obstacle(Machine& machine, State& state, const Diagnostic& diagnostic);

// The instruction that the state is at works on an unknown value.
bool works_on_unknown(const Machine& machine, const State& state);

AbstractValue unknown_value(const Machine& machine, State& state);

// Leaves functions of the prelude, which are one instruction to the reader. False: nothing else is left.
bool leave_prelude(const Machine& machine, State& state);

}  // namespace dycl::partial_eval
