// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "partial_eval/values/state.h"

namespace dycl::partial_eval {

// Registers that are read again: at the frame's own position, or, for a frame that waits for a call, once
// the call has returned or raised. Ascending.
std::vector<program::RegisterId> live_registers(const Frame& frame);
std::vector<program::RegisterId> live_registers(const State& state, std::size_t depth);

}  // namespace dycl::partial_eval
