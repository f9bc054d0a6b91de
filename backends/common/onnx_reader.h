// SPDX-License-Identifier: Apache-2.0
// Reads the ONNX bytes a plugin is given.
#pragma once

#include <onnx_ml.pb.h>

#include "backend/plugin_abi.h"
#include "base/result.h"

namespace dycl::plugin {

// Fails on bytes that are not a model, on a model without a graph, on weights whose description is
// unsafe, and on control flow (If, Loop, Scan, SequenceMap), which no backend may be given.
Result<onnx::ModelProto> read_model(const DyclGraph& graph);

// The version of ONNX's own operators that the model imports; 0 when it imports none.
std::int64_t opset_of(const onnx::ModelProto& model);

}  // namespace dycl::plugin
