// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dycl {

// JSON text is UTF-8; what is not must be written another way or refused.
bool is_utf8(std::string_view text);

}  // namespace dycl
