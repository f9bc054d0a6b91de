// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <span>
#include <tuple>

#include "base/overloaded.h"
#include "package/attribute_json.h"
#include "package/error.h"
#include "package/host_plan_json.h"
#include "package/json_reader.h"
#include "package/result_tree_json.h"

namespace dycl {
namespace {

std::string type_json(const Type& type) {
  return to_string(type, [](SymbolId symbol) { return fmt::format("s{}", symbol.value); });
}

// Source positions repeat; instructions name them by number.
class SourceTable {
 public:
  // A position and the calls that led there; a caller's number is smaller than its callee's.
  std::size_t number_of(const SourceSpan& span, std::span<const SourceSpan> callers) {
    std::int64_t caller = -1;
    if (!callers.empty()) caller = static_cast<std::int64_t>(number_of(callers[0], callers.subspan(1)));
    const auto key = std::tuple(span.file, span.line, span.column, span.node, caller);
    const auto [entry, added] = numbers_.emplace(key, list_.size());
    if (added) {
      Json object{{"file", span.file}, {"line", span.line}, {"column", span.column}, {"node", span.node}};
      if (caller >= 0) object["from"] = caller;
      list_.push_back(std::move(object));
    }
    return entry->second;
  }
  [[nodiscard]] const Json& list() const { return list_; }

 private:
  Json list_ = Json::array();
  std::map<std::tuple<std::string, std::uint32_t, std::uint32_t, std::string, std::int64_t>, std::size_t>
      numbers_;
};

Json edge_json(const PlanEdge& edge) {
  Json moves = Json::array();
  for (const PlanMove& move : edge.moves) moves.push_back({move.from, move.to});
  Json object{{"to", edge.target}};
  if (!moves.empty()) object["moves"] = std::move(moves);
  if (!edge.dead.empty()) object["dead"] = edge.dead;
  return object;
}

Json switch_json(const PlanSwitch& choice) {
  Json cases = Json::array();
  for (const PlanEdge& edge : choice.cases) cases.push_back(edge_json(edge));
  return {
      {"op", "switch"}, {"index", choice.index}, {"cases", cases}, {"fallback", edge_json(choice.fallback)}};
}

Json host_json(const PlanHost& host) {
  Json object{{"op", "host"}, {"host", name_of(host.op)}, {"in", host.inputs}, {"out", host.outputs}};
  if (!host.attributes.empty()) object["attributes"] = attributes_to_json(host.attributes);
  return object;
}

Json operation_json(const PlanOperation& operation) {
  return std::visit(
      Overloaded{
          [](const PlanCall& call) {
            return Json{{"op", "call"}, {"subnet", call.subnet}, {"in", call.inputs}, {"out", call.outputs}};
          },
          [](const PlanHost& host) { return host_json(host); },
          [](const PlanJump& jump) { return Json{{"op", "jump"}, {"edge", edge_json(jump.edge)}}; },
          [](const PlanBranch& branch) {
            return Json{{"op", "branch"},
                        {"if", branch.condition},
                        {"then", edge_json(branch.then_edge)},
                        {"else", edge_json(branch.else_edge)}};
          },
          [](const PlanSwitch& choice) { return switch_json(choice); },
          [](const PlanReturn& result) {
            Json object{{"op", "return"}, {"values", result.values}};
            if (result.tree != nullptr) object["tree"] = tree_to_json(*result.tree);
            if (!result.writes.empty()) object["writes"] = result.writes;
            return object;
          },
          [](const PlanRaise& raise) {
            Json object{
                {"op", "raise"}, {"type", raise.type}, {"format", raise.format}, {"scalars", raise.scalars}};
            if (raise.attributes != nullptr) object["attributes"] = tree_to_json(*raise.attributes);
            return object;
          },
      },
      operation);
}

// A plain name, unless the size has limits.
Json symbols_json(const std::vector<PlanSymbol>& symbols) {
  Json list = Json::array();
  for (const PlanSymbol& symbol : symbols) {
    if (symbol.range.limited())
      list.push_back(
          {{"name", symbol.name}, {"smallest", symbol.range.smallest}, {"largest", symbol.range.largest}});
    else
      list.push_back(symbol.name);
  }
  return list;
}

Json ports_json(const std::vector<PlanPort>& ports) {
  Json list = Json::array();
  for (const PlanPort& port : ports) {
    list.push_back({{"name", port.name},
                    {"type", type_json(port.type)},
                    {"slot", port.slot},
                    {"optional", port.optional}});
    if (!port.is_state()) continue;
    if (port.type.tensor() != nullptr && port.initial->size() == 1)
      list.back()["initial"] = port.initial->front();
    else
      list.back()["initial"] = *port.initial;
  }
  return list;
}

Json subnets_json(const std::vector<PlanSubnet>& subnets, SourceTable& sources) {
  Json list = Json::array();
  for (const PlanSubnet& subnet : subnets) {
    Json guards = Json::array();
    for (const PlanGuard& guard : subnet.guards) {
      Json object{{"type", guard.type}, {"message", guard.message}};
      if (guard.source.known()) object["at"] = sources.number_of(guard.source, guard.callers);
      guards.push_back(std::move(object));
    }
    list.push_back(
        {{"name", subnet.name}, {"hash", subnet.hash}, {"backend", subnet.backend}, {"guards", guards}});
  }
  return list;
}

Json code_json(const HostPlan& plan, SourceTable& sources) {
  Json code = Json::array();
  for (const PlanInstruction& instruction : plan.code) {
    Json object = operation_json(instruction.operation);
    if (!instruction.dead.empty()) object["dead"] = instruction.dead;
    if (instruction.source.known()) object["at"] = sources.number_of(instruction.source, instruction.callers);
    code.push_back(std::move(object));
  }
  return code;
}

// Lists get a line per element, so that people and diffs can read them.
void put_list(std::string& text, std::string_view key, const Json& list) {
  text += fmt::format(",\n\"{}\":[", key);
  const char* separator = "\n";
  for (const Json& element : list) {
    text += separator + element.dump();
    separator = ",\n";
  }
  text += "]";
}

std::string document_of(const HostPlan& plan) {
  SourceTable sources;
  Json slots = Json::array();
  for (const Type& slot : plan.slots) slots.push_back(type_json(slot));
  Json constants = Json::array();
  for (const PlanConstant& constant : plan.constants)
    constants.push_back({{"slot", constant.slot}, {"weight", constant.weight}});
  std::string text = fmt::format("{{\"schema\":{}", kHostPlanSchema);
  put_list(text, "symbols", symbols_json(plan.symbols));
  put_list(text, "inputs", ports_json(plan.inputs));
  put_list(text, "outputs", ports_json(plan.outputs));
  put_list(text, "slots", slots);
  if (!plan.names.empty()) put_list(text, "names", plan.names);
  put_list(text, "constants", constants);
  put_list(text, "subnets", subnets_json(plan.subnets, sources));
  put_list(text, "code", code_json(plan, sources));
  Json blocks = Json::array();
  for (const PlanBlock& block : plan.blocks) blocks.push_back({block.start, block.number});
  put_list(text, "blocks", blocks);
  put_list(text, "sources", sources.list());
  return text + "}\n";
}

}  // namespace

Result<std::string> write_host_plan(const HostPlan& plan) {
  try {
    return document_of(plan);
  } catch (const Json::type_error&) {
    // The only way for dump() to fail; the library reports it by an exception alone.
    return package_error("not_utf8", "a name in the model is not UTF-8 text",
                         "rename inputs, outputs, weights or dims with unusual characters");
  }
}

}  // namespace dycl
