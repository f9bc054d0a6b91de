// SPDX-License-Identifier: Apache-2.0
#include "report/described_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "hcfg/control_flow.h"
#include "hcfg/fragment.h"

namespace dycl::report {
namespace {

class Describer {
 public:
  Describer(const Hcfg& graph, const Artifact& artifact) : graph_(graph) {
    for (const PlanSubnet& subnet : artifact.plan.subnets) backends_.emplace(subnet.name, subnet.backend);
  }

  [[nodiscard]] DescribedBlock describe(BlockId id) const {
    const Block& block = graph_.blocks[id.index()];
    DescribedBlock described{id, heading(id), {}, edges(block)};
    for (const Step& step : block.steps) add(described.lines, step);
    if (std::string end = end_of(block); !end.empty())
      described.lines.push_back({std::move(end), graph_.source(block.source)});
    return described;
  }

 private:
  [[nodiscard]] std::string names(const std::vector<ValueId>& values) const {
    std::vector<std::string> list;
    for (const ValueId value : values)
      if (value.valid()) list.push_back(graph_.value(value).name);
    return fmt::format("{}", fmt::join(list, ", "));
  }

  [[nodiscard]] std::string type_of(ValueId value) const {
    return to_string(graph_.type_of(value),
                     [&](SymbolId symbol) { return graph_.symbols[symbol.index()].name; });
  }

  [[nodiscard]] std::string heading(BlockId id) const {
    const Block& block = graph_.blocks[id.index()];
    return block.parameters.empty() ? fmt::format("block {}", id.value)
                                    : fmt::format("block {}({})", id.value, names(block.parameters));
  }

  void add(std::vector<DescribedLine>& lines, const Step& step) const {
    if (const auto* host = std::get_if<HostStep>(&step)) {
      lines.push_back({host_text(*host), graph_.source(host->source)});
      return;
    }
    const auto& subnet = std::get<SubnetStep>(step);
    const auto backend = backends_.find(subnet.name);
    lines.push_back({backend == backends_.end()
                         ? fmt::format("sub-DNN {}", subnet.name)
                         : fmt::format("sub-DNN {} on {}", subnet.name, backend->second)});
    for (const TensorOp& op : subnet.ops)
      lines.push_back({operation_text(op), graph_.source(source_of(op)), true});
  }

  [[nodiscard]] std::string operation_text(const TensorOp& op) const {
    const auto* call = std::get_if<FragmentCall>(&op);
    std::vector<std::string> results;
    for (const ValueId value : outputs_of(op))
      if (value.valid()) results.push_back(fmt::format("{}: {}", graph_.value(value).name, type_of(value)));
    return fmt::format("{} = {}({})", fmt::join(results, ", "),
                       call != nullptr ? call->fragment->name : std::get<OnnxOp>(op).name,
                       names(inputs_of(op)));
  }

  [[nodiscard]] std::string host_text(const HostStep& host) const {
    if (host.op == HostOp::Check)
      return fmt::format("raise {} if {}", attribute_or(host.attributes, "type", std::string("an exception")),
                         names(host.inputs));
    if (host.op == HostOp::Const) return names(host.outputs) + " = " + constant_text(host);
    return fmt::format("{} = {}({})", names(host.outputs), name_of(host.op), names(host.inputs));
  }

  [[nodiscard]] std::string constant_text(const HostStep& host) const {
    const auto scalar = scalar_of_const(host, graph_.type_of(host.outputs[0]).scalar()->kind);
    return scalar ? repr(*scalar) : "?";
  }

  [[nodiscard]] std::string end_of(const Block& block) const {
    return std::visit(
        Overloaded{
            [](const Jump&) { return std::string(); },
            [&](const Branch& branch) { return "if " + names({branch.condition}); },
            [&](const Switch& choice) { return "switch on " + names({choice.index}); },
            [&](const Return& result) { return "return " + names(result.values); },
            [](const Raise& raise) { return fmt::format("raise {}: {}", raise.type, raise.format); },
        },
        block.terminator);
  }

  [[nodiscard]] static std::vector<DescribedEdge> edges(const Block& block) {
    return std::visit(
        Overloaded{
            [](const Jump& jump) -> std::vector<DescribedEdge> { return {{jump.edge.target, ""}}; },
            [](const Branch& branch) -> std::vector<DescribedEdge> {
              return {{branch.then_edge.target, "then"}, {branch.else_edge.target, "else"}};
            },
            [](const Switch& choice) {
              std::vector<DescribedEdge> ways;
              for (std::size_t index = 0; index < choice.cases.size(); ++index)
                ways.push_back({choice.cases[index].target, fmt::format("case {}", index)});
              ways.push_back({choice.fallback.target, "default"});
              return ways;
            },
            [](const auto&) { return std::vector<DescribedEdge>(); },
        },
        block.terminator);
  }

  const Hcfg& graph_;
  std::map<std::string, std::string> backends_;  // by the name of the sub-DNN
};

}  // namespace

std::vector<DescribedBlock> describe_graph(const Hcfg& graph, const Artifact& artifact) {
  const Describer describer(graph, artifact);
  std::vector<DescribedBlock> blocks;
  for (const BlockId block : control_flow(graph).order) blocks.push_back(describer.describe(block));
  return blocks;
}

}  // namespace dycl::report
