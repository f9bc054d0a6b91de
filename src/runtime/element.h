// SPDX-License-Identifier: Apache-2.0
// Reads the element of a tensor with one element as a host scalar.
#pragma once

#include "base/element.h"
#include "runtime/value.h"

namespace dycl::runtime {

// Returns a bool, int or float, as the tensor's dtype is. A tensor with another number of elements raises a
// ValueError.
Result<Scalar> read_single_element(const RuntimeTensor& tensor);

}  // namespace dycl::runtime
