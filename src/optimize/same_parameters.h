// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "optimize/replacements.h"

namespace dycl::optimize {

// Replaces each block parameter that has the same value on every edge by that value. Optimistic: the
// parameters of a loop that only hand one value around count as that value.
void replace_same_parameters(const Hcfg& graph, const ControlFlow& flow, Replacements& values);

}  // namespace dycl::optimize
