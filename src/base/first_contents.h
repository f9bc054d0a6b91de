// SPDX-License-Identifier: Apache-2.0
// What a state begins with, before the first call.
#pragma once

#include <vector>

#include "base/tensor_data.h"
#include "base/type.h"

namespace dycl {

// Of a tensor its contents; of a sequence its elements, a number among them as a 0-d tensor; of an optional
// nothing, since it begins empty.
using FirstContents = std::vector<TensorPtr>;

// Whether a state of the type may begin with them. A size that is not a number takes any size.
bool can_begin_with(const Type& type, const FirstContents& contents);

}  // namespace dycl
