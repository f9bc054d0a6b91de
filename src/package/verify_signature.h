// SPDX-License-Identifier: Apache-2.0
// Checks that signature.json is well formed. It says how the example called a Python model;
// python/dycl/calls/signature.py writes it and compares calls with it.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace dycl {

// Checks that every node is of a known kind with its own fields, that children are there, and that each input
// stands in one place. The texts of constants are only compared later, so their contents do not matter.
Status check_signature(std::string_view text, std::size_t input_count);

}  // namespace dycl
