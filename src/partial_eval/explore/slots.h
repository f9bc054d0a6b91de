// SPDX-License-Identifier: Apache-2.0
// This file finds the parts of the model that live from one call to the next.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// Is called after all paths were followed. What one call writes and another reads becomes a slot of the
// state, by a Restart, or is refused. What is written and never read is only told of.
void check_state_across_calls(Machine& machine);

// Is called after a refusal. Says whether the attempt has read what calls write (this one, or those of
// earlier attempts) and what was no slot yet. It is a slot from now on, and the refusal may have come of its
// absence.
bool finds_further_slots(Machine& machine);

}  // namespace dycl::partial_eval
