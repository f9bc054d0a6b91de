// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "onnx_wire/model.h"

namespace dycl::onnx_wire {

// Writes a model; equal models give equal bytes.
std::string write_model(const Model& model);

// Write a part as it stands in the model; equal parts give equal bytes.
std::string write_node(const Node& node);
std::string write_tensor(const Tensor& tensor);

}  // namespace dycl::onnx_wire
