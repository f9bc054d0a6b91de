// SPDX-License-Identifier: Apache-2.0
// OpenVINO's numbers for element types, and ours.
#pragma once

#include <optional>

#include "base/dtype.h"

namespace dycl::openvino {

// nullopt: a type that is not handed to OpenVINO.
std::optional<int> to_openvino(DType dtype);
std::optional<DType> from_openvino(int element_type);

}  // namespace dycl::openvino
