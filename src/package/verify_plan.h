// SPDX-License-Identifier: Apache-2.0
// The parts of verify_artifact that look at the host plan alone.
#pragma once

#include "base/result.h"
#include "package/host_plan.h"

namespace dycl {

// Every index in range, every operand of the kind its operation takes, control never falls off the
// end, moves and results unambiguous, constants never overwritten or released.
Status verify_plan(const HostPlan& plan);

// No instruction reads a slot that may be empty when control arrives there. For a plan that passed
// the checks above (verify_plan calls it last).
Status verify_flow(const HostPlan& plan);

}  // namespace dycl
