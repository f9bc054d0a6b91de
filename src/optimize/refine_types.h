// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "optimize/pass.h"

namespace dycl::optimize {

// Infers types again where folding and merging have left values whose types were widened for edges that no
// longer exist: a result that joined two branches of different rank is of one rank once the branch is
// decided. Backends compile what has known ranks and sizes better, and some compile nothing else.
// Parameters of loops keep their types: those hold on every trip.
Result<Hcfg> refine_types(Hcfg graph, const PassContext& context);

}  // namespace dycl::optimize
