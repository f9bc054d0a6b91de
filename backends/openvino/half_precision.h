// SPDX-License-Identifier: Apache-2.0
// OpenVINO keeps f16 and bf16 results in f32 inside a graph and rounds them where they leave it. ONNX
// rounds after every operator, so a graph is right only while nothing computes with an unrounded result.
#pragma once

#include <string>

#include "graph_editor.h"

namespace dycl::openvino {

// Returns why some node would compute with a result that ONNX rounds and OpenVINO does not; empty if none
// would.
std::string first_unrounded_use(const Model& model, const GraphFacts& facts);

}  // namespace dycl::openvino
