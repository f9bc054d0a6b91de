// SPDX-License-Identifier: Apache-2.0
// How paths leave the program.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// The program returns, or an exception leaves it.
void finish_program(Machine& machine, State& state, const AbstractValue& result);
void raise_out_of_program(Machine& machine, State& state, const AbstractValue& exception);

}  // namespace dycl::partial_eval
