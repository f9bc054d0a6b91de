// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "optimize/pass.h"

namespace dycl::optimize {

// Leads edges past blocks that do no work: an empty block that only jumps on, and an empty block that
// branches on a parameter which is known on the edge. A branch whose edges all lead to the same place with
// the same arguments becomes a jump. A block whose parameters are used elsewhere is not passed by, and no
// edge is led past the decision of a loop's header (that would give the loop a second way in).
Result<Hcfg> thread_jumps(Hcfg graph, const PassContext& context);

}  // namespace dycl::optimize
