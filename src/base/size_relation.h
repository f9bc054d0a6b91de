// SPDX-License-Identifier: Apache-2.0
// What is known of sizes, and what a path learns from comparing them. A relation is one of Python's: "==",
// "!=", "<", "<=", ">", ">=". Nothing here throws: of what would be beyond 64 bits nothing is known.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "base/size_expr.h"
#include "base/size_symbols.h"

namespace dycl {

// Python's "+", "-", "*", "//" or "%" of two ints that follow from sizes; nullopt: the result is just a
// number.
std::optional<SizeExpr> computed_size(std::string_view operation, const SizeExpr& left,
                                      const SizeExpr& right);

// What the ranges say of the comparison; nullopt: it depends.
std::optional<bool> holds(std::string_view relation, const SizeExpr& left, const SizeExpr& right);

// What a path that knows the truth of a comparison may put in the place of a symbol: another size, or a
// symbol of `symbols` with a smaller range.
SizeValues consequence(SizeSymbols& symbols, std::string_view relation, const SizeExpr& left,
                       const SizeExpr& right, bool truth);

// Whether a path that knows the comparison to be true knows it for good.
bool settles(std::string_view relation, const SizeExpr& left, const SizeExpr& right);
// Whether both paths learn something, the one where it is true and the one where it is false.
bool splits(std::string_view relation, const SizeExpr& left, const SizeExpr& right);

// (factor, rest) where the size is factor * symbol + rest, both numbers.
std::optional<std::pair<std::int64_t, std::int64_t>> linear_in(const SizeExpr& size,
                                                               const SizeSymbol& symbol);

}  // namespace dycl
