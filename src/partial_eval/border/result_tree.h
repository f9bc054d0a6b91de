// SPDX-License-Identifier: Apache-2.0
// What the program gives back, with its Python structure.
#pragma once

#include "partial_eval/border/inputs.h"
#include "partial_eval/language/exceptions.h"
#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// The Return for a path that ends with `result`. Refuses what no caller could be given. Where the path has
// changed lists, dicts or objects of the caller's, the tree is a dycl.results:WithWrites.
Return return_of(Machine& machine, State& state, const AbstractValue& result);

// What Python sets on an exception that leaves the program: its attributes, and its arguments where its
// message does not give them. Refuses attributes that cannot be given back.
void add_attributes(Machine& machine, State& state, const AbstractValue& exception, Departure& departure);

// Lets the machine follow lists, dicts and objects of the caller's from now on.
void follow_containers(Machine& machine, State& state, const std::vector<CallersContainer>& containers);

// Refuses where the path has changed one of them, which an exception that leaves now would hide.
void refuse_exception_after_change(Machine& machine, const State& state);

}  // namespace dycl::partial_eval
