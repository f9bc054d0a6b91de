// SPDX-License-Identifier: Apache-2.0
// What the program has written to layers, and to the tables, lists and tensors that layers hold.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// The program has written neither to the layer, nor to a layer in it, nor to what these hold, and keeps none
// of it as state: torch may compute with what the live one holds.
bool is_as_it_was(const State& state, const nb::object& layer);

// Refuses the call of a layer whose tables of hooks were written to, or those of all layers.
void refuse_written_hooks(Machine& machine, const State& state, const AbstractValue& layer);

}  // namespace dycl::partial_eval
