// SPDX-License-Identifier: Apache-2.0
// Reads the model of a graph that a plugin is given.
#pragma once

#include "backend/plugin_abi.h"
#include "base/result.h"
#include "onnx_wire/model.h"

namespace dycl::plugin {

// Fails on bytes that are not a model, on weights whose description is unsafe, on external initializers
// that are not given, and on control flow (If, Loop, Scan, SequenceMap, functions), which no backend may be
// given.
Result<onnx_wire::Model> read_model(const DyclGraph& graph);

}  // namespace dycl::plugin
