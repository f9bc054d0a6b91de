// SPDX-License-Identifier: Apache-2.0
#include "package/host_plan.h"

#include <fmt/format.h>

namespace dycl {

std::string type_text(const HostPlan& plan, const Type& type) {
  return to_string(type, [&plan](SymbolId symbol) -> std::string {
    if (symbol.index() >= plan.symbols.size()) return "?";
    const PlanSymbol& named = plan.symbols[symbol.index()];
    return named.range.limited() ? fmt::format("{}={}", named.name, to_string(named.range)) : named.name;
  });
}

}  // namespace dycl
