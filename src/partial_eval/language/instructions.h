// SPDX-License-Identifier: Apache-2.0
// One instruction of the program.
#pragma once

#include "partial_eval/machine/machine.h"
#include "program/instruction.h"

namespace dycl::partial_eval {

Outcome execute(Machine& machine, State& state, const program::Instruction& instruction);
// An operand of the current instruction as it is now.
AbstractValue operand_of(Machine& machine, const State& state, const program::Instruction& instruction,
                         std::uint32_t index);
AbstractValue read_register(Machine& machine, const State& state, program::RegisterId id);

}  // namespace dycl::partial_eval
