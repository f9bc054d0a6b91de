// SPDX-License-Identifier: Apache-2.0
// aten.json of a sub-DNN, which stamp_aten (subnet/stamp_aten.h) writes: is it well formed?
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace dycl {

// Calls name fragments that exist and values that are known by then, each value is defined once, and there
// are as many weights as the ONNX graph has. What fragments hold is the frontend's: it is only parsed.
Status check_aten(std::string_view text, std::size_t weight_count);

}  // namespace dycl
