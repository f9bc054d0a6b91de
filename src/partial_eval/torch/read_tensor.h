// SPDX-License-Identifier: Apache-2.0
// This file makes Python numbers of the values of tensors. There the program depends on its data.
#pragma once

#include <optional>
#include <string>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// item(), bool(), int(), float(), tolist() of a tensor that depends on the input.
Outcome read_tensor(Machine& machine, State& state, const AbstractValue& tensor, const std::string& kind);
// A number that depends on the input, with a tensor read as Python's __index__ reads it.
std::optional<ScalarValue> dynamic_index(Machine& machine, State& state, const AbstractValue& value);

}  // namespace dycl::partial_eval
