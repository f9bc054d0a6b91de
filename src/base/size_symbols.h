// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <vector>

#include "base/size_expr.h"

namespace dycl {

// Makes symbols, and gives each a number of its own. There is one for all sizes that may meet: a compilation
// has one.
class SizeSymbols {
 public:
  SizeSymbols() = default;
  // Gives none of the numbers that the symbols of these sizes have.
  explicit SizeSymbols(const std::vector<SizeExpr>& used);

  // Returns a symbol of its own, or the only number in the range.
  SizeExpr fresh(SizeRange range = {}, std::set<std::size_t> origins = {});

 private:
  std::size_t last_ = 0;
};

}  // namespace dycl
