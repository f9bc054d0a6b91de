// SPDX-License-Identifier: Apache-2.0
// What a state begins with, before the first call.
#pragma once

#include <vector>

#include "base/tensor_data.h"
#include "base/type.h"

namespace dycl {

// The contents of a tensor, or the elements of a sequence, with a number as a 0-d tensor. An optional has
// none, since it begins empty.
using FirstContents = std::vector<TensorPtr>;

// Says whether a state of the type may begin with them. A size that is not a number takes any size.
bool can_begin_with(const Type& type, const FirstContents& contents);

}  // namespace dycl
