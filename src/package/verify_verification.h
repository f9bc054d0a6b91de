// SPDX-License-Identifier: Apache-2.0
// Checks verification.json, the report that python/dycl/verification/report.py writes for those who get the
// package.
#pragma once

#include <string_view>

#include "base/result.h"

namespace dycl {

// Checks that there are `version`, `ok` and a `text` that can be printed. Nothing here depends on the rest.
Status check_verification(std::string_view text);

}  // namespace dycl
