// SPDX-License-Identifier: Apache-2.0
// Items of containers: container[key], len(container).
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

Outcome get_item(Machine& machine, State& state, const AbstractValue& container, const AbstractValue& key);
Outcome set_item(Machine& machine, State& state, const AbstractValue& container, const AbstractValue& key,
                 const AbstractValue& value);
Outcome delete_item(Machine& machine, State& state, const AbstractValue& container, const AbstractValue& key);
Outcome length(Machine& machine, State& state, const AbstractValue& container);

}  // namespace dycl::partial_eval
