// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// list.append, dict.get … on abstract or live containers.
Outcome call_native_method(Machine& machine, State& state, const AbstractValue& self, const std::string& name,
                           Arguments& arguments);
// Says whether the type of `self` has a native method of that name.
bool has_native_method(const Machine& machine, const State& state, const AbstractValue& self,
                       const std::string& name);

}  // namespace dycl::partial_eval
