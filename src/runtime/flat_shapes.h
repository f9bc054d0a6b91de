// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/flat_plan.h"

namespace dycl::runtime {

// Fills shapes, dims and terms: what each slot's type promises and which sizes follow from the inputs.
void add_shapes(const HostPlan& plan, FlatPlan& flat);

}  // namespace dycl::runtime
