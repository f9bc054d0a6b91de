// SPDX-License-Identifier: Apache-2.0
// How far a tensor is from what it should be.
#pragma once

#include "base/tensor_data.h"

namespace dycl::verification {

// max|actual-expected| / max(1, max|expected|) over the finite elements; infinity when type, sizes, the
// places of NaN and infinity, or elements that are no floats differ.
double tensor_difference(const TensorData& actual, const TensorData& expected);

}  // namespace dycl::verification
