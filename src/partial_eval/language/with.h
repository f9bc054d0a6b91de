// SPDX-License-Identifier: Apache-2.0
// `with`: torch's contexts and the user's.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

Outcome enter_context(Machine& machine, State& state, const AbstractValue& manager);
// `exception`: unbound when the block was left without one.
Outcome exit_context(Machine& machine, State& state, const AbstractValue& manager,
                     const AbstractValue& exception);

}  // namespace dycl::partial_eval
