// SPDX-License-Identifier: Apache-2.0
// Calls of whatever can be called.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

Outcome call(Machine& machine, State& state, const AbstractValue& callee, Arguments arguments,
             OnReturn on_return = OnReturn::Store, AbstractValue kept = {});
// Calls a function of prelude/ by name.
Outcome call_prelude(Machine& machine, State& state, const char* name, Arguments arguments,
                     OnReturn on_return = OnReturn::Store, std::uint32_t operand = 0);

}  // namespace dycl::partial_eval
