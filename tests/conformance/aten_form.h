// SPDX-License-Identifier: Apache-2.0
// The torch graph of a small ONNX model, for backends that take no other.
#pragma once

#include <string>

#include "onnx_ml.pb.h"

namespace dycl::conformance {

// As stamp_aten (subnet/stamp_aten.h) writes it; empty when an operator is not among the few that have a form
// here.
std::string aten_form(const onnx::ModelProto& model);

}  // namespace dycl::conformance
