// SPDX-License-Identifier: Apache-2.0
// The element of a tensor that has one, as a host scalar.
#pragma once

#include "base/element.h"
#include "runtime/value.h"

namespace dycl::runtime {

// Else a ValueError: bool, int or float as its dtype is.
Result<Scalar> read_single_element(const RuntimeTensor& tensor);

}  // namespace dycl::runtime
