// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx_ml.pb.h"

namespace dycl::export_onnx {

// Leaves out nodes, outputs of If and initializers that nothing needs, in subgraphs too.
void remove_unused(onnx::GraphProto& graph);

}  // namespace dycl::export_onnx
