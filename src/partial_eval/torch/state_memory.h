// SPDX-License-Identifier: Apache-2.0
// The memory of states. A program keeps the contents of each state in a place of its own. So a tensor or
// array of the model that lies in the memory of a state which is written, and is none itself, would not
// follow it.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// Whoever reads a live tensor or array in the memory of a state that is written in place is refused.
void watch_memory(Machine& machine, State& state);

// The storage that each of Marks::state_tensors has in the program: they may share memory before the first
// call.
std::vector<StorageId> storages_of_state_tensors(const Machine& machine);

}  // namespace dycl::partial_eval
