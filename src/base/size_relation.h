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

// Computes Python's "+", "-", "*", "//" or "%" of two ints that follow from sizes, or gives nullopt if the
// result is just a number.
std::optional<SizeExpr> computed_size(std::string_view operation, const SizeExpr& left,
                                      const SizeExpr& right);

// Says what the ranges tell of the comparison; nullopt if it depends on the sizes.
std::optional<bool> holds(std::string_view relation, const SizeExpr& left, const SizeExpr& right);

// Returns what a path that knows whether the comparison is true may put in the place of a symbol: another
// size, or a symbol of `symbols` with a smaller range.
SizeValues consequence(SizeSymbols& symbols, std::string_view relation, const SizeExpr& left,
                       const SizeExpr& right, bool truth);

// Says whether a path that knows the comparison to be true knows it for good.
bool settles(std::string_view relation, const SizeExpr& left, const SizeExpr& right);
// Says whether both paths learn something, the one where it is true and the one where it is false.
bool splits(std::string_view relation, const SizeExpr& left, const SizeExpr& right);

// Returns (factor, rest) if the size is factor * symbol + rest and both are numbers.
std::optional<std::pair<std::int64_t, std::int64_t>> linear_in(const SizeExpr& size,
                                                               const SizeSymbol& symbol);

}  // namespace dycl
