// SPDX-License-Identifier: Apache-2.0
// This file finds the parts of a state that the rest of the program can still see.
#pragma once

#include <functional>
#include <vector>

#include "partial_eval/values/state.h"

namespace dycl::partial_eval {

// Registers that are read again: at the frame's own position, or, for a frame that waits for a call, once
// the call has returned or raised. Ascending.
std::vector<program::RegisterId> live_registers(const Frame& frame);
std::vector<program::RegisterId> live_registers(const State& state, std::size_t depth);

// Every object that live registers, the overlay or suspended generators reach.
void for_each_live_object(const State& state, const std::function<void(HeapId, const Object&)>& visit);

// Forgets dead registers and what nothing reaches any more; `dropped` is told of the generators among it.
void drop_dead(State& state, const std::function<void(const GeneratorObject&)>& dropped);

}  // namespace dycl::partial_eval
