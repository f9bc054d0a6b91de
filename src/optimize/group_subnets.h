// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "optimize/pass.h"

namespace dycl::optimize {

// Gathers the tensor operations of each block into as few sub-DNNs as the host steps they depend on
// allow, and names them s0, s1, … in block order. A block becomes host work, sub-DNN, host work, sub-DNN …
// in which every operation stands as early as its inputs permit. At level 0 the order stays as it is and
// only neighbours become one sub-DNN.
Result<Hcfg> group_subnets(Hcfg graph, const PassContext& context);

// Gives every sub-DNN its name; for passes that add or remove some afterwards.
void name_subnets(Hcfg& graph);

}  // namespace dycl::optimize
