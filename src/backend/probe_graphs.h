// SPDX-License-Identifier: Apache-2.0
// The two small ONNX graphs of a first inference.
#pragma once

#include <string>

namespace dycl {

std::string convolution_graph();  // x f32[1,16,16,16], w f32[16,16,3,3] → Relu(Conv(x, w))
std::string product_graph();      // a f32[32,64], b f32[64,32] → MatMul(a, b)

}  // namespace dycl
