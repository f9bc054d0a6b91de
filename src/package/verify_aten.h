// SPDX-License-Identifier: Apache-2.0
// Checks that the aten.json of a sub-DNN, which stamp_aten (subnet/stamp_aten.h) writes, is well formed.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace dycl {

// Checks that calls name fragments that exist and values that are defined before, that each value is defined
// once, and that there are as many weights as the ONNX graph has. It parses the fragments, but does not look
// into them.
Status check_aten(std::string_view text, std::size_t weight_count);

}  // namespace dycl
