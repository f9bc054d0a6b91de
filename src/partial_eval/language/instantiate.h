// SPDX-License-Identifier: Apache-2.0
// Calls of classes.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

Outcome instantiate(Machine& machine, State& state, const nb::object& type, Arguments arguments);
// Tells the __new__ of a class that collections.namedtuple made.
bool makes_named_tuples(nb::handle creator);
// Makes a named tuple as its generated `creator`, __new__, does.
Outcome fill_named_tuple(Machine& machine, State& state, const nb::object& creator, const nb::object& type,
                         Arguments arguments);
Outcome make_super(Machine& machine, State& state, const AbstractValue& type, const AbstractValue& self);

}  // namespace dycl::partial_eval
