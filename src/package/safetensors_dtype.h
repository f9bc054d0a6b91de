// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "base/dtype.h"

namespace dycl {

// Returns "F32", "BF16", …, or nullopt for an element type that safetensors does not have.
std::optional<std::string_view> safetensors_name(DType dtype);
std::optional<DType> dtype_from_safetensors(std::string_view name);

}  // namespace dycl
