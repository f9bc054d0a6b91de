// SPDX-License-Identifier: Apache-2.0
#include "base/size_symbols.h"

#include <algorithm>

namespace dycl {

SizeSymbols::SizeSymbols(const std::vector<SizeExpr>& used) {
  for (const SizeExpr& size : used)
    for (const SizeSymbolPtr& symbol : symbols_of(size)) last_ = std::max(last_, symbol->number);
}

SizeExpr SizeSymbols::fresh(SizeRange range, std::set<std::size_t> origins) {
  if (range.smallest == range.largest) return {range.smallest};
  SizeSymbol symbol{++last_, range, std::move(origins)};
  return SizeExpr(std::make_shared<const SizeSymbol>(std::move(symbol)));
}

}  // namespace dycl
