// SPDX-License-Identifier: Apache-2.0
// Calls of a program with state are the trips of an endless loop. What a call begins with is one of a few
// variants: the first is what the model holds; what a call leaves is an instance of one of them, or one more,
// found by evaluating again until there is no more to find. docs/decisions/0023 tells why.
#pragma once

#include <vector>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// The states in which a call may begin, one per variant, each in a block of its own. Adds the inputs that
// hold what is kept, and the machine's hooks that look after it.
std::vector<State> begin_call(Machine& machine, State state);

// Is called after all paths were followed. Throws Restart if a call may leave what no call begins with yet.
void settle_calls(Machine& machine);

}  // namespace dycl::partial_eval
