// SPDX-License-Identifier: Apache-2.0
// Element types by the names that numpy, ml_dtypes and torch give them.
#pragma once

#include <optional>
#include <string_view>

#include "base/dtype.h"

namespace dycl::python {

std::optional<DType> dtype_from_numpy(std::string_view name);  // "float32", "bfloat16", "int4"
std::optional<DType> dtype_from_torch(std::string_view name);  // "torch.float32"
std::string_view numpy_name_of(DType dtype);                   // "object" for strings

bool needs_ml_dtypes(DType dtype);  // numpy alone does not know it

}  // namespace dycl::python
