// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// Builtin functions and types that the machine models itself; nullopt: not one of them.
std::optional<Outcome> call_native(Machine& machine, State& state, const nb::object& callee,
                                   Arguments& arguments);

}  // namespace dycl::partial_eval
