// SPDX-License-Identifier: Apache-2.0
// What is asked of a graph before it is loaded: its types, and whether ONNX Runtime computes it rightly.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/onnx_model.h"
#include "onnxruntime/session.h"

namespace dycl::onnxruntime {

inline std::string_view bytes_of(const DyclGraph& graph) {
  return {static_cast<const char*>(graph.onnx.data), graph.onnx.size};
}

// The weights that `model` declares as external; read_model has made sure that they are there.
std::vector<Weight> external_weights(const plugin::OnnxModel& model, const DyclGraph& graph);

Result<std::vector<PortType>> infer_output_types(const Environment& environment, const DyclGraph& graph);

// Empty, or why ONNX Runtime must not be given this graph.
Result<std::string> find_refusal(const Environment& environment, const DyclGraph& graph);

// The newest opset and IR version that the library takes, found by trying.
std::int64_t newest_opset(const Environment& environment);
std::int64_t newest_ir_version(const Environment& environment);

}  // namespace dycl::onnxruntime
