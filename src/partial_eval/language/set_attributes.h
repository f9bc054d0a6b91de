// SPDX-License-Identifier: Apache-2.0
// Writing and deleting attributes, by Python's protocol.
#pragma once

#include <string>

#include "partial_eval/language/attributes.h"

namespace dycl::partial_eval {

Outcome set_attr(Machine& machine, State& state, const AbstractValue& object, const std::string& name,
                 const AbstractValue& value);
Outcome delete_attr(Machine& machine, State& state, const AbstractValue& object, const std::string& name);

// Sets an attribute as object.__setattr__ and torch.nn.Module.__setattr__ do, without asking a __setattr__ of
// the user's.
Outcome set_plain_attr(Machine& machine, State& state, const Receiver& receiver, const std::string& name,
                       const AbstractValue& value);
Outcome delete_plain_attr(Machine& machine, State& state, const Receiver& receiver, const std::string& name);

}  // namespace dycl::partial_eval
