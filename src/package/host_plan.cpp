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

std::uint32_t written_input(const PlanHost& write) {
  return static_cast<std::uint32_t>(attribute_or<std::int64_t>(write.attributes, "input", 0));
}

std::set<std::uint32_t> written_inputs(const HostPlan& plan) {
  std::set<std::uint32_t> written;
  for (const PlanInstruction& instruction : plan.code) {
    if (const auto* taken = std::get_if<PlanReturn>(&instruction.operation))
      written.insert(taken->writes.begin(), taken->writes.end());
    const auto* host = std::get_if<PlanHost>(&instruction.operation);
    if (host != nullptr && host->op == HostOp::Write) written.insert(written_input(*host));
  }
  return written;
}

std::set<std::uint32_t> written_inputs_of_caller(const HostPlan& plan) {
  std::set<std::uint32_t> written = written_inputs(plan);
  std::erase_if(written, [&](std::uint32_t input) { return plan.inputs[input].is_state(); });
  return written;
}

}  // namespace dycl
