// SPDX-License-Identifier: Apache-2.0
// The Python type of a value.
#pragma once

#include <string>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// type(value): always known.
nb::object type_of(Machine& machine, const State& state, const AbstractValue& value);
// Its name, as CPython's messages spell it.
std::string type_name(Machine& machine, const State& state, const AbstractValue& value);
// A live tensor or a tensor of the heap.
bool is_any_tensor(const Machine& machine, const State& state, const AbstractValue& value);
// What Python raises where a type has no such attribute.
Raised no_attribute(const Machine& machine, nb::handle type, const std::string& name);

}  // namespace dycl::partial_eval
