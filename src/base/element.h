// SPDX-License-Identifier: Apache-2.0
// Converts single elements of tensors to host scalars and back. The reference interpreter, constant folding
// and the runtime share these functions, so that they cannot disagree.
#pragma once

#include "base/scalar.h"
#include "base/tensor_data.h"

namespace dycl {

// Reads an element as bool, int or float, as the dtype is; a sub-byte element lies in the low bits. It
// refuses strings and complex numbers; a u64 beyond 63 bits raises an OverflowError.
Result<Scalar> read_element(DType dtype, const std::byte* source);
Result<Scalar> element_at(const TensorData& tensor, std::size_t index);

// Converts a scalar to the kind that a value's type requires, with Python's bool(), int() and float().
Result<Scalar> convert_scalar(const Scalar& scalar, ScalarKind kind);

// Writes one element of `dtype` to `target` (bit_width(dtype) bits, at least a byte). An int that does not
// fit raises an OverflowError. A float is truncated for an integer dtype, and otherwise rounded once, to
// nearest even.
Status write_element(const Scalar& scalar, DType dtype, std::byte* target);

// Makes a tensor with this one element.
Result<TensorData> tensor_of_scalar(const Scalar& scalar, DType dtype, std::vector<std::int64_t> dims);

}  // namespace dycl
