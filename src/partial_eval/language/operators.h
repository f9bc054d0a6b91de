// SPDX-License-Identifier: Apache-2.0
// Python's operators, on numbers, tensors, containers and objects.
#pragma once

#include "partial_eval/machine/machine.h"
#include "program/instruction.h"

namespace dycl::partial_eval {

Outcome unary(Machine& machine, State& state, program::Operation operation, const AbstractValue& operand);
Outcome binary(Machine& machine, State& state, program::Operation operation, bool inplace,
               const AbstractValue& left, const AbstractValue& right);
Outcome compare(Machine& machine, State& state, program::Operation operation, const AbstractValue& left,
                const AbstractValue& right);
Outcome contains(Machine& machine, State& state, const AbstractValue& element,
                 const AbstractValue& container);
// The special method is written in Python and must be run by the machine. torch.Tensor has such methods too,
// but they are torch's business.
bool has_python_method(const Machine& machine, const State& state, const AbstractValue& value,
                       const char* special);
// A known bool or a ScalarValue of kind Bool; Pushed with `on_return` when a method of the user's decides.
Outcome truth(Machine& machine, State& state, const AbstractValue& value,
              OnReturn on_return = OnReturn::Truth);

}  // namespace dycl::partial_eval
