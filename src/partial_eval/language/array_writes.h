// SPDX-License-Identifier: Apache-2.0
// Writes to arrays of numpy that were known until now: array[key] = value, array += value.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// Calls the method of the array that writes to it. An array that gets something that depends on the input
// becomes one of the prelude's (arrays.py).
Outcome write_to_array(Machine& machine, State& state, const std::string& method, const Arguments& arguments);

}  // namespace dycl::partial_eval
