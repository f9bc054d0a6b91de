// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "optimize/pass.h"

namespace dycl::optimize {

// Turns operations that compute nothing into host metadata where they stand at the border of a sub-DNN: a
// Reshape, Squeeze, Unsqueeze or Flatten becomes a `view`, a Gather of one leading index or a Slice of one
// leading row becomes a `row`. Those that read the sub-DNN's inputs move before it, those whose result only
// the outside uses move behind it, so no sub-DNN is ever split. Only when the sizes are known well enough
// for the host operation to mean exactly the same; constants are left to the backend.
Result<Hcfg> border_to_host(Hcfg graph, const PassContext& context);

}  // namespace dycl::optimize
