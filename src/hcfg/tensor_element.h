// SPDX-License-Identifier: Apache-2.0
// Single elements of compile-time tensors.
#pragma once

#include "base/scalar.h"
#include "base/tensor_data.h"

namespace dycl {

// The element as bool, int or float, whichever its dtype is. Strings, complex numbers and formats of
// less than a byte or of 8-bit floats are refused.
Result<Scalar> element_at(const TensorData& tensor, std::size_t index);

// A tensor with this one element. An int that the dtype cannot hold is an OverflowError; a float
// into an integer dtype truncates.
Result<TensorData> tensor_of_scalar(const Scalar& scalar, DType dtype, std::vector<std::int64_t> dims);

}  // namespace dycl
