// SPDX-License-Identifier: Apache-2.0
// Calls of classes.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

Outcome instantiate(Machine& machine, State& state, const nb::object& type, Arguments arguments);
// Named tuples whose class reads them in a way of its own have no model.
void refuse_odd_tuple(const Machine& machine, const State& state, const nb::object& type);
// Makes a named tuple as its generated `creator`, __new__, does.
Outcome fill_named_tuple(Machine& machine, State& state, const nb::object& creator, const nb::object& type,
                         Arguments arguments);
Outcome make_super(Machine& machine, State& state, const AbstractValue& type, const AbstractValue& self);

}  // namespace dycl::partial_eval
