// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "onnx_wire/model.h"

namespace dycl::onnx_wire {

// Writes a model; equal models give equal bytes.
std::string write_model(const Model& model);

}  // namespace dycl::onnx_wire
