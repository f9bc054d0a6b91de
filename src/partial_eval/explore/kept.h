// SPDX-License-Identifier: Apache-2.0
// What of the model a session keeps from call to call, as one path has it.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// The path of something that the model holds, as its code says it: self.cache['r'].
std::string shown_path(const Machine& machine, const std::string& path);

// Says whether there is anything to keep.
bool keeps_state(const Machine& machine);

// What the slots (Marks::state_slots, state_tensors) hold here, and nothing else: a state without frames, in
// which an object that exists before the call is named by itself, and everything made since has a place on
// the heap. Throws Refused where something cannot be kept.
State kept_part(Machine& machine, const State& state);

// The same with sizes of its own: those of a call mean nothing to the next.
State with_own_sizes(Machine& machine, State kept);

// The numbers of the symbols in its sizes.
std::set<std::size_t> symbols_in(const State& kept);

}  // namespace dycl::partial_eval
