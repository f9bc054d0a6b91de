// SPDX-License-Identifier: Apache-2.0
// Answers questions about a graph before it is loaded: its types, and whether ONNX Runtime computes it
// rightly.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/onnx_model.h"
#include "common/refusal.h"
#include "onnxruntime/session.h"

namespace dycl::onnxruntime {

// A graph ready for a session.
struct PreparedGraph {
  std::string onnx;
  std::vector<Weight> weights;  // over the caller's memory
};

// Moves small weights into the model, because shape inference reads only what lies inside it (a Reshape's
// target); the large ones are read in place. read_model has checked that every weight is there.
PreparedGraph prepare(onnx_wire::Model& model, const DyclGraph& graph);

Result<std::vector<PortType>> infer_output_types(const Environment& environment, const DyclGraph& graph);

// Returns why ONNX Runtime must not get this graph.
Result<std::optional<plugin::Refusal>> find_refusal(const Environment& environment, const DyclGraph& graph);

// Finds the newest opset and IR version that the library takes, by trying.
std::int64_t newest_opset(const Environment& environment);
std::int64_t newest_ir_version(const Environment& environment);

}  // namespace dycl::onnxruntime
