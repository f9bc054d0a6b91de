// SPDX-License-Identifier: Apache-2.0
// Objects that Python turns into numbers where it needs one: __index__, __float__ and their like.
#pragma once

#include "partial_eval/machine/machine.h"
#include "partial_eval/values/outcome.h"

namespace dycl::partial_eval {

// Refuses a TypeError that a model of ours raises about an object which Python would have converted: eager
// goes on there. Nothing happens where no such object takes part in what the state is executing.
void refuse_missed_conversion(const Machine& machine, const State& state);

// The same for one of these arguments, which the instruction need not name: they may come out of a partial
// or a starred list.
void refuse_missed_conversion(const Machine& machine, const State& state, const Arguments& arguments);

bool is_type_error(Machine& machine, State& state, const Outcome& outcome);

}  // namespace dycl::partial_eval
