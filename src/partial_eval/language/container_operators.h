// SPDX-License-Identifier: Apache-2.0
// Operators of lists, tuples and sets; nullopt: the operands are something else.
#pragma once

#include "partial_eval/machine/machine.h"
#include "program/instruction.h"

namespace dycl::partial_eval {

// list + list, tuple + tuple, and their multiples.
std::optional<Outcome> sequence_binary(Machine& machine, State& state, program::Operation operation,
                                       bool inplace, const AbstractValue& left, const AbstractValue& right);
// `inplace` is the name of the method that changes a set in place, or empty.
std::optional<Outcome> set_binary(Machine& machine, State& state, program::Operation operation,
                                  const std::string& inplace, const AbstractValue& left,
                                  const AbstractValue& right);

}  // namespace dycl::partial_eval
