// SPDX-License-Identifier: Apache-2.0
// Single elements between tensors and host scalars, for the reference interpreter, constant folding and the
// runtime alike, so that they cannot disagree.
#pragma once

#include "base/scalar.h"
#include "base/tensor_data.h"

namespace dycl {

// Bool, int or float as the dtype is; a sub-byte element lies in the low bits. Strings and complex numbers
// are refused, a u64 beyond 63 bits is an OverflowError.
Result<Scalar> read_element(DType dtype, const std::byte* source);
Result<Scalar> element_at(const TensorData& tensor, std::size_t index);

// Converts to the kind that a value's type asks for, with Python's bool(), int() and float().
Result<Scalar> convert_scalar(const Scalar& scalar, ScalarKind kind);

// One element of `dtype` to `target` (bit_width(dtype) bits, at least a byte). An int that does not fit
// is an OverflowError, a float into an integer dtype truncates; floats are rounded once, to nearest even.
Status write_element(const Scalar& scalar, DType dtype, std::byte* target);

// A tensor with this one element.
Result<TensorData> tensor_of_scalar(const Scalar& scalar, DType dtype, std::vector<std::int64_t> dims);

}  // namespace dycl
