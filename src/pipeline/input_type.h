// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "import_onnx/import_onnx.h"

namespace dycl {

// "1x3x32x32xf32" or, for a scalar, "i64".
Result<PinnedInput> parse_input_type(std::string_view text);

}  // namespace dycl
