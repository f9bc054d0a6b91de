// SPDX-License-Identifier: Apache-2.0
// Exceptions that depend on the elements of tensors.
#pragma once

#include <optional>
#include <string>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// Raises where the flag of the check is true. Outside any try that waits for the end of the block; inside one
// it is a way of control: given is the way that raises, beside which `state` goes on.
std::optional<Forked::Child> check_flag(Machine& machine, State& state, const PendingCheck& check);

// Raises a RuntimeError where the flag, a bool without dims, is true.
Outcome raise_where(Machine& machine, State& state, const AbstractValue& flag, const std::string& message);

}  // namespace dycl::partial_eval
