// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// A method of a dict; nullopt: not modelled.
std::optional<Outcome> dict_method(Machine& machine, State& state, const AbstractValue& self,
                                   const std::string& name, Arguments& arguments);

}  // namespace dycl::partial_eval
