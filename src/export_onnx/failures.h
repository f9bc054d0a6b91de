// SPDX-License-Identifier: Apache-2.0
// What a graph that cannot raise does where an operation raises whose result nothing needs: checks of tensor
// operations (an index out of range), and host operations (a division by zero).
#pragma once

#include <optional>

#include "hcfg/hcfg.h"

namespace dycl::export_onnx {

// Each path carries a number that says whether anything has failed on it. Where a path divides or returns, a
// check of that number is the block's last step; no other checks are left. Returns where the first of these
// operations stands.
std::optional<SourceId> carry_failures(Hcfg& graph);

// The number that the last step of the block checks; not valid if there is none.
ValueId failure_at_end(const Block& block);

}  // namespace dycl::export_onnx
