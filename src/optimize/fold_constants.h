// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "optimize/pass.h"

namespace dycl::optimize {

// Computes at compile time what is known at compile time: tensor operations on constants (through the
// context's evaluator), shapes that are static, host operations on known scalars, block parameters that
// receive the same scalar on every edge, and branches whose condition is known. A folded tensor becomes a
// constant of the graph, which the host hands around: a sub-DNN of constants only disappears.
//
// Left alone: random operations and training modes, quantization (backends look for its patterns), results
// larger than the context's limit, and whatever fails to evaluate: it would fail at run time, on its path.
Result<Hcfg> fold_constants(Hcfg graph, const PassContext& context);

}  // namespace dycl::optimize
