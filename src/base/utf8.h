// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dycl {

// JSON text is UTF-8; what is not must be written another way or refused.
bool is_utf8(std::string_view text);

// The text itself, or with every byte beyond ASCII replaced by "?" if it is not UTF-8: for messages.
std::string as_utf8(std::string text);

}  // namespace dycl
