// SPDX-License-Identifier: Apache-2.0
// signature.json: how the example called a Python model, which python/dycl/calls/signature.py writes and
// compares calls with. Is it well formed?
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace dycl {

// Every node is of a known kind with its own fields, children are there, and each input stands in one place.
// Texts of frozen values are only ever compared: their contents do not matter.
Status check_signature(std::string_view text, std::size_t input_count);

}  // namespace dycl
