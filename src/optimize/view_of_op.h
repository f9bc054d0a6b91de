// SPDX-License-Identifier: Apache-2.0
// Which ONNX operations only change how a tensor is looked at, and as which host operation.
#pragma once

#include <optional>
#include <vector>

#include "optimize/producers.h"

namespace dycl::optimize {

// tensor[row] of the first axis (if given), then a view with these sizes (if given).
struct HostView {
  ValueId tensor;
  std::optional<std::int64_t> row;
  std::optional<std::vector<std::int64_t>> dims;
};

// The host operations that mean exactly what `op` means, or nothing.
std::optional<HostView> view_of_op(const Hcfg& graph, const Producers& producers, const TensorOp& op);

}  // namespace dycl::optimize
