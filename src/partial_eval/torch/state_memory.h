// SPDX-License-Identifier: Apache-2.0
// The memory of states. A program copies the contents of each state from call to call, so what eager knows by
// memory (that two attributes hold one tensor, that one is a view of another, how it lies) is followed only
// where it makes no difference.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// An attribute that is state holds this tensor before the first call: the attribute's is the state.
[[nodiscard]] bool is_held_at_first(const Machine& machine, const nb::object& tensor);

// States that share memory before the first call.
void mark_shared_memory(Machine& machine);

// Whoever reads a live tensor or array in the memory of a state is refused, or noted.
void watch_memory(Machine& machine, State& state);

// A path ends: what the tensors share that it leaves in attributes, and how they lie.
void note_memory_left(Machine& machine, const State& state);

// All paths have ended. Throws Restart when the notes say something new, so that the next evaluation begins
// with it; refuses what they say together.
void check_state_memory(Machine& machine);

}  // namespace dycl::partial_eval
