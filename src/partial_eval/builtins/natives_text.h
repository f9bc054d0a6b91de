// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "partial_eval/builtins/native_call.h"

namespace dycl::partial_eval {

void add_text_natives(NativeTable& table);

// A method of a str; nullopt: not modelled.
std::optional<Outcome> text_method(Machine& machine, State& state, const AbstractValue& self,
                                   const std::string& name, Arguments& arguments);

}  // namespace dycl::partial_eval
