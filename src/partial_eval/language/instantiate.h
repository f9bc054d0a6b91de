// SPDX-License-Identifier: Apache-2.0
// Calls of classes.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

Outcome instantiate(Machine& machine, State& state, const nb::object& type, Arguments arguments);
Outcome make_super(Machine& machine, State& state, const AbstractValue& type, const AbstractValue& self);

}  // namespace dycl::partial_eval
