// SPDX-License-Identifier: Apache-2.0
// Single elements between tensors and host scalars.
#pragma once

#include "base/scalar.h"
#include "runtime/value.h"

namespace dycl {

// The element of a tensor that has exactly one (else a ValueError): bool, int or float as its dtype is.
Result<Scalar> read_single_element(const RuntimeTensor& tensor);

// Converts to the kind that a slot's type asks for, with Python's bool(), int() and float().
Result<Scalar> convert_scalar(const Scalar& scalar, ScalarKind kind);

// One element of `dtype` to `target` (bit_width(dtype) bits, at least a byte). An int that does not fit
// is an OverflowError; floats are rounded to nearest even.
Status write_element(const Scalar& scalar, DType dtype, std::byte* target);

}  // namespace dycl
