// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "optimize/known_values.h"
#include "optimize/pass.h"

namespace dycl::optimize {

// The operation's results (null where an output is omitted), or nothing when they are not known at compile
// time or must not be computed then.
std::optional<std::vector<TensorPtr>> fold_tensor_op(const Hcfg& graph, const KnownValues& known,
                                                     const TensorOp& op, const PassContext& context);

}  // namespace dycl::optimize
