// SPDX-License-Identifier: Apache-2.0
// A returned structure as text, in Python's spelling: {"logits": %a, "exit": 2}, (%a, [%b, None]),
// dataclass "models:Output"(x=%a). (%a) is the value itself.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result_tree.h"
#include "hcfg/text_cursor.h"
#include "hcfg/text_scope.h"

namespace dycl {

std::string tree_text(const ResultNode& tree, const std::function<std::string(std::size_t)>& value_text);

// Values are appended to `values` in the order in which they stand.
Result<ResultTree> read_tree(TextCursor& cursor, TextScope& scope, std::vector<ValueId>& values);

}  // namespace dycl
