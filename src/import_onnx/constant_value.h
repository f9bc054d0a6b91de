// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/tensor_data.h"
#include "import_onnx/external_data.h"
#include "onnx_ml.pb.h"

namespace dycl::import_onnx {

// Returns the tensor that one attribute of a Constant node stands for: value, value_int, value_floats, …
Result<TensorData> constant_value(const onnx::AttributeProto& proto, ExternalFiles* files);

}  // namespace dycl::import_onnx
