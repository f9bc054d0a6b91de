// SPDX-License-Identifier: Apache-2.0
// verification.json: what python/dycl/verification/report.py tells of a verification, for those who get the
// package.
#pragma once

#include <string_view>

#include "base/result.h"

namespace dycl {

// Has it `version`, `ok` and a `text` that can be printed? The rest is data that nothing here depends on.
Status check_verification(std::string_view text);

}  // namespace dycl
