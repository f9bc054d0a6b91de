// SPDX-License-Identifier: Apache-2.0
// What the program gives back, with its Python structure.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// The Return for a path that ends with `result`. Refuses what no caller could be given.
Return return_of(Machine& machine, State& state, const AbstractValue& result);

}  // namespace dycl::partial_eval
