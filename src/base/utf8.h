// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dycl {

// Says whether a text is UTF-8. JSON text is; other text must be written another way or refused.
bool is_utf8(std::string_view text);

// Returns the text, for messages. If it is not UTF-8, every byte beyond ASCII is replaced by "?".
std::string as_utf8(std::string text);

}  // namespace dycl
