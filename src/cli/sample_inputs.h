// SPDX-License-Identifier: Apache-2.0
// Makes inputs that fit a program, if not always its purpose: the same for the same seed.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "package/host_plan.h"
#include "runtime/value.h"

namespace dycl::cli {

// Returns one value per input that the caller gives. Sizes that are not fixed are 3, or as near as they may
// be; floats lie between -1 and 1, integers between 0 and 3.
Result<std::vector<runtime::RuntimeValue>> sample_inputs(const HostPlan& plan, std::uint32_t seed);

}  // namespace dycl::cli
