// SPDX-License-Identifier: Apache-2.0
// The parts of verify_artifact that look at the host plan alone.
#pragma once

#include "base/result.h"
#include "package/host_plan.h"

namespace dycl {

// Checks that every index is in range, every operand is of the kind that its operation takes, control never
// runs past the end, moves and results are unambiguous, and constants are never overwritten or released.
Status verify_plan(const HostPlan& plan);

// Checks that no instruction reads a slot that may be empty when control arrives there. The plan must have
// passed the checks above (verify_plan calls this last).
Status verify_flow(const HostPlan& plan);

}  // namespace dycl
