// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "optimize/known_values.h"

namespace dycl::optimize {

using FoldedValue = std::variant<std::monostate, Scalar, TensorPtr>;

// What the step's output is, if that is known; monostate if it is not, or if computing it would raise.
FoldedValue fold_host_step(const Hcfg& graph, const KnownValues& known, const HostStep& step);

}  // namespace dycl::optimize
