// SPDX-License-Identifier: Apache-2.0
// This file says what becomes of sizes where paths meet.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/size_expr.h"
#include "base/size_symbols.h"

namespace dycl {

// The sizes of one meeting: what differs is a size of its own, and those that differ alike are one.
class SizeJoins {
 public:
  explicit SizeJoins(SizeSymbols& symbols) : symbols_(&symbols) {}

  // Joins what each path has for one size. `place` is where a size that differs is given up; there is none if
  // no path alone would know the size either.
  SizeExpr joined(const std::vector<SizeExpr>& sides, std::optional<std::size_t> place);

  [[nodiscard]] std::set<std::size_t> made() const;  // numbers of the symbols that it bound

 private:
  SizeSymbols* symbols_;
  std::vector<std::pair<std::vector<SizeExpr>, SizeSymbolPtr>> made_;
};

// Compares what two meetings at one place made: equal but for the names of the sizes that they bound.
class SizeRenaming {
 public:
  SizeRenaming(std::set<std::size_t> left, std::set<std::size_t> right)
      : left_(std::move(left)), right_(std::move(right)) {}

  bool same(const SizeExpr& left, const SizeExpr& right);

 private:
  bool bind(const SizeSymbol& left, const SizeSymbolPtr& right);
  bool bind_to_themselves(const SizeExpr& expr);

  std::set<std::size_t> left_, right_;
  SizeValues names_;            // of the left: the right one's
  std::set<std::size_t> used_;  // of the right
};

}  // namespace dycl
