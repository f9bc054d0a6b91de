// SPDX-License-Identifier: Apache-2.0
// What the program writes and the caller or the session keeps: tensors among the inputs, and state.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// The inputs that `prepare_inputs` made are followed from now on, if some earlier attempt found a write.
void follow_inputs(Machine& machine, State& state);

// Adds a state of the graph, which is a further input, and says its number.
std::uint32_t add_state(Machine& machine, const std::string& name, const Type& type, FirstContents initial);

// Adds the model's tensors that earlier attempts found written in place.
void add_state_tensors(Machine& machine, State& state);

// A write to a tensor that the program did not make: allowed where the new contents can be kept. Throws
// Restart when this is news; false where nobody would see them.
bool may_write_outside(Machine& machine, const State& state, const TensorObject& tensor);

// A write to a live tensor that the program did not make. Throws Restart when it becomes a state.
void make_state_of(Machine& machine, const nb::object& tensor);

// Something may raise now: the caller's tensors keep what was written to them. Warns where state was written:
// a failed call leaves it as it was.
void keep_writes_before_exception(Machine& machine, State& state);

// Adds to a return what was written on its path.
void add_writes(Machine& machine, State& state, Return& made);

}  // namespace dycl::partial_eval
