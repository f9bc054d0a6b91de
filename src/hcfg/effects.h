// SPDX-License-Identifier: Apache-2.0
// Which host steps matter although nobody uses their result.
#pragma once

#include "hcfg/hcfg.h"

namespace dycl {

// Can the step raise where the model does, on the types that it has? Beyond may_raise: int() of a float
// (NaN, infinity), and what the model reads out of a tensor that may not have one element.
bool has_effect(const Hcfg& graph, const HostStep& step);

}  // namespace dycl
