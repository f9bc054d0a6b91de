// SPDX-License-Identifier: Apache-2.0
// Reads the text that to_string(Type) writes; used by the graph's parser and by the host plan.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "base/type.h"

namespace dycl {

// `symbol_of` maps a dim's symbol name to its id, adding it if need be. Fails on text that is left
// over, on unknown words and beyond a fixed nesting depth (hostile packages).
Result<Type> parse_type(std::string_view text, const std::function<SymbolId(std::string_view)>& symbol_of);

// Reads the type at the beginning of `text` and removes it from there.
Result<Type> parse_type_prefix(std::string_view& text,
                               const std::function<SymbolId(std::string_view)>& symbol_of);

}  // namespace dycl
