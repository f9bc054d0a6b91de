// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// Attributes of numbers, containers, functions, iterators … that the machine models.
Outcome heap_attribute(Machine& machine, State& state, const AbstractValue& value, const std::string& name);

}  // namespace dycl::partial_eval
