// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// An operator (`__and__`, `__eq__`) on the keys of dicts; nullopt: neither operand is a view of a dict.
std::optional<Outcome> view_operator(Machine& machine, State& state, const char* special,
                                     const AbstractValue& left, const AbstractValue& right);

}  // namespace dycl::partial_eval
