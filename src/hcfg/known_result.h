// SPDX-License-Identifier: Apache-2.0
// Operators on known integers and bools, whose results are the same on every backend: what indices are
// compared with and made of.
#pragma once

#include <optional>
#include <span>

#include "hcfg/hcfg.h"

namespace dycl {

// Nothing for other operators, other element types, and more numbers than are worth it.
std::optional<TensorData> known_result(const OnnxOp& op, std::span<const TensorData* const> operands);

}  // namespace dycl
