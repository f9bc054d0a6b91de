// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "optimize/pass.h"

namespace dycl::optimize {

// Replaces a loop whose trip count is known by one copy of its body a trip, when that leaves no more than the
// context's limits allow; the counter then folds, and so do conditions on it. A condition that is computed
// in the body still leaves the loop early. Inner loops come first; an outer loop is looked at again in the
// optimizer's next round, when its body is straight.
Result<Hcfg> unroll_loops(Hcfg graph, const PassContext& context);

}  // namespace dycl::optimize
