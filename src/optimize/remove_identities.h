// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "optimize/pass.h"

namespace dycl::optimize {

// Uses the original wherever a copy is used: Identity, a Cast to the same element type, Dropout outside
// training, reshapes to the shape a tensor has already; a view with the same sizes, item(to_tensor(x)) and
// to_tensor(item(t)) where no rounding lies between, unwrap(some(x)), seq_at(seq_of(…), known index),
// `and` with true, `or` with false; and block parameters that receive one and the same value on every
// edge, around loops too. A copy whose type says more about sizes than the original's stays.
Result<Hcfg> remove_identities(Hcfg graph, const PassContext& context);

}  // namespace dycl::optimize
