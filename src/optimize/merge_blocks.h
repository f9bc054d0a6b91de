// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "optimize/pass.h"

namespace dycl::optimize {

// Joins a block with the block it jumps to when that is the only edge into it: straight-line code becomes
// one block, and its tensor operations can become one sub-DNN. The second block's parameters become the
// jump's arguments.
Result<Hcfg> merge_blocks(Hcfg graph, const PassContext& context);

}  // namespace dycl::optimize
