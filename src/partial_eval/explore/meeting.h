// SPDX-License-Identifier: Apache-2.0
// Joins states that reach one program point into as few as can be told apart no longer.
#pragma once

#include <vector>

#include "partial_eval/explore/join.h"

namespace dycl::partial_eval {

// States at one program point, each with an open HCFG block. Those that can meet jump to a new block,
// whose parameters are the values that differ. Dead registers and unreachable objects are dropped.
std::vector<State> meet(Machine& machine, std::vector<State> states);

// Says whether `later` differs from `earlier` in nothing that is static. A loop that comes back so goes on
// forever, as far as is known at compile time.
bool same_statics(Machine& machine, const State& earlier, const State& later);

// The value of one side of a parameter, made in that side's own block.
ValueId argument_of(Machine& machine, State& state, const JoinedValue& joined, const AbstractValue& side);

std::vector<const State*> pointers_to(const std::vector<State>& states);
// Drops what is dead; an object that one state has written to gets a twin in all of them.
void align(Machine& machine, std::vector<State>& states);
// Ends each state's block by a jump that hands over its sides of the values.
void jump_all(Machine& machine, std::vector<State>& states, const std::vector<JoinedValue>& values,
              dycl::BlockId target);

}  // namespace dycl::partial_eval
