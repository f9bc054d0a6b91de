// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hcfg/dominance.h"
#include "hcfg/uses.h"

namespace dycl::optimize {

// Makes loops closed: afterwards nothing outside a loop names a value or a symbol that is defined inside.
// Whatever leaves goes through a landing block of its own at each exit, as a parameter; then the loop's
// blocks can be copied, and each copy leads to the same landings with its own values.
//
// The loops must not share blocks. Returns, per loop, whether it could be closed: a loop with several
// exits whose values are used where the ways meet again is left as it is.
std::vector<bool> close_loops(Hcfg& graph, const ControlFlow& flow, const DominatorTree& dominators,
                              const UseTable& table, const std::vector<Loop>& loops);

}  // namespace dycl::optimize
