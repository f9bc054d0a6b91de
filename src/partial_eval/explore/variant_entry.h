// SPDX-License-Identifier: Apache-2.0
// The beginning of a call on one variant of what the calls before have left.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// Gives the state what the variant says, with an input of the graph for each value in it. `optional`: the
// inputs are empty unless this is the variant that the last call left.
Begin enter_variant(Machine& machine, State& entry, const State& variant, bool optional);

// The inputs begin with what the model holds, of which the variant is a generalisation.
void begin_with(Machine& machine, const Begin& begin, const State& held);

}  // namespace dycl::partial_eval
