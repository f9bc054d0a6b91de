// SPDX-License-Identifier: Apache-2.0
// A tensor's type as people write it on the command line and in Python: "1x3x32x32xf32".
#pragma once

#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/result.h"

namespace dycl {

struct TensorSpec {
  DType dtype = DType::F32;
  std::vector<std::int64_t> dims;
};

// Reads "1x3x32x32xf32", or "i64" for a scalar.
Result<TensorSpec> parse_tensor_spec(std::string_view text);

}  // namespace dycl
