// SPDX-License-Identifier: Apache-2.0
// Measures how far a tensor is from what it should be.
#pragma once

#include "base/tensor_data.h"

namespace dycl::verification {

// Returns max|actual-expected| / max(1, max|expected|) over the finite elements; infinity if type, sizes, the
// places of NaN and infinity, or elements that are not floats differ.
double tensor_difference(const TensorData& actual, const TensorData& expected);

}  // namespace dycl::verification
