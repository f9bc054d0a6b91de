// SPDX-License-Identifier: Apache-2.0
// Live objects are never written: the first write makes a twin on the heap, which is read from then on.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// The heap twin of a live list, dict, set or instance, made at the first write.
ObjectRef twin_of(Machine& machine, State& state, const nb::object& live);

// Refuses a live key whose class defines how it is hashed or compared: CPython would run that code unseen.
void refuse_own_key(const Machine& machine, const State& state, nb::handle key);

}  // namespace dycl::partial_eval
