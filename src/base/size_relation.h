// SPDX-License-Identifier: Apache-2.0
// What is known of sizes, and what a path learns from comparing them. A relation is one of Python's: "==",
// "!=", "<", "<=", ">", ">=".
#pragma once

#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/size_expr.h"

namespace dycl {

// A size of its own, or the only number in the range.
SizeExpr fresh_size(SizeRange range = {}, std::set<std::size_t> origins = {});

// What the ranges say of the comparison; nullopt: it depends.
std::optional<bool> holds(std::string_view relation, const SizeExpr& left, const SizeExpr& right);

// What a path that knows the truth of a comparison may put in the place of a symbol.
SizeValues consequence(std::string_view relation, const SizeExpr& left, const SizeExpr& right, bool truth);

// (factor, rest) where the size is factor * symbol + rest, both numbers.
std::optional<std::pair<std::int64_t, std::int64_t>> linear_in(const SizeExpr& size,
                                                               const SizeSymbol& symbol);

}  // namespace dycl
