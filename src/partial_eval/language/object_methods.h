// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// object.__init__, object.__setattr__, BaseException.__init__, torch.nn.Module.__setattr__ … called with the
// instance as first argument; nullopt: not one of them.
std::optional<Outcome> call_object_method(Machine& machine, State& state, const nb::object& callee,
                                          Arguments& arguments);

}  // namespace dycl::partial_eval
