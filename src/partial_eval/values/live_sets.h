// SPDX-License-Identifier: Apache-2.0
// Sets of CPython's as they lie in memory. The order of their elements follows from all that was ever done to
// them, so a path has a set of its own, and whoever changes it changes a copy that lies as it does.
#pragma once

#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {

// The copy() of a set may have another order.
nb::object exact_copy(nb::handle set);

// Each element lies where its hash says: whoever was added first, the order is the same.
bool lies_by_hash(nb::handle set);

// Whatever is done to both of them, the order of their elements stays the same.
bool lie_alike(nb::handle one, nb::handle other);

}  // namespace dycl::partial_eval
