// SPDX-License-Identifier: Apache-2.0
#include "hcfg/verify.h"

#include <fmt/format.h>

#include "hcfg/fragment.h"
#include "hcfg/verify_parts.h"

namespace dycl {
namespace {

const char* kCode = "hcfg.verify";

std::string place_text(const Hcfg& graph, Place place) {
  std::string text = fmt::format("block b{}", place.block.value);
  const auto& steps = graph.blocks[place.block.index()].steps;
  if (place.step >= steps.size()) return text + ", terminator";
  text += fmt::format(", step {}", place.step);
  if (const auto* host = std::get_if<HostStep>(&steps[place.step]))
    return text + fmt::format(" ({})", name_of(host->op));
  const auto& subnet = std::get<SubnetStep>(steps[place.step]);
  text += fmt::format(" (subnet {})", subnet.name);
  if (place.op < subnet.ops.size()) text += fmt::format(", {}", operation_name(subnet.ops[place.op]));
  return text;
}

SourceSpan source_at(const Hcfg& graph, Place place) {
  const Block& block = graph.blocks[place.block.index()];
  SourceId source = block.source;
  if (place.step < block.steps.size()) {
    if (const auto* host = std::get_if<HostStep>(&block.steps[place.step]))
      source = host->source;
    else if (const auto& ops = std::get<SubnetStep>(block.steps[place.step]).ops; place.op < ops.size())
      source = source_of(ops[place.op]);
  }
  return source.index() < graph.sources.size() ? graph.source(source) : SourceSpan{};
}

}  // namespace

Failure illegal(const Hcfg& graph, Place place, std::string_view message) {
  return fail(Blame::Internal, kCode, fmt::format("{}: {}", place_text(graph, place), message),
              source_at(graph, place));
}

Failure illegal(std::string_view message) { return fail(Blame::Internal, kCode, std::string(message)); }

std::string describe(const Hcfg& graph, ValueId value) {
  if (value.index() >= graph.values.size()) return fmt::format("value {}", value.value);
  return fmt::format("%{}", graph.value(value).name);
}

std::string describe(const Hcfg& graph, const Type& type) {
  return to_string(type, [&](SymbolId symbol) {
    return symbol.index() < graph.symbols.size() ? graph.symbols[symbol.index()].name : std::string("?");
  });
}

Status verify(const Hcfg& graph) {
  if (auto status = verify_ids(graph); !status) return status;
  if (auto status = verify_ranges(graph); !status) return status;
  if (auto status = verify_operations(graph); !status) return status;
  if (auto status = verify_terminators(graph); !status) return status;
  const ControlFlow flow = control_flow(graph);
  const DominatorTree dominators(flow);
  if (auto status = verify_order(graph, flow, dominators); !status) return status;
  const SymbolBindings symbols(graph, flow, dominators);
  if (auto status = verify_symbols(graph, flow, symbols); !status) return status;
  return verify_edges(graph, flow, symbols);
}

}  // namespace dycl
