// SPDX-License-Identifier: Apache-2.0
// OpenVINO's numbers for element types, and ours.
#pragma once

#include <optional>

#include "base/dtype.h"

namespace dycl::openvino {

// Returns nullopt for a type that is not handed to OpenVINO.
std::optional<int> to_openvino(DType dtype);
std::optional<DType> from_openvino(int element_type);

// Says whether some integers of the type cannot be held exactly in f32.
constexpr bool is_wide_integer(DType dtype) {
  return dtype == DType::I32 || dtype == DType::I64 || dtype == DType::U32 || dtype == DType::U64;
}

}  // namespace dycl::openvino
