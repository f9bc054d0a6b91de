// SPDX-License-Identifier: Apache-2.0
#include "legalize/legalize.h"

#include <fmt/format.h>

#include <algorithm>

#include "hcfg/fragment.h"
#include "hcfg/text.h"
#include "hcfg/uses.h"
#include "legalize/legal_defect.h"
#include "legalize/rule_list.h"
#include "legalize/writer.h"

namespace dycl::legalize {
namespace {

bool is_served(const std::string& hazard, RuleKind kind) {
  return std::ranges::any_of(all_rules(),
                             [&](const Rule& rule) { return rule.hazard == hazard && rule.kind == kind; });
}

// Rules work on ONNX's operators: a backend that takes ATen graphs never sees what they write.
Status check_served(const BackendDescription& backend) {
  const auto find_unserved = [&](const std::vector<std::string>& hazards, RuleKind kind) {
    return std::ranges::find_if(
        hazards, [&](const std::string& hazard) { return backend.takes_aten || !is_served(hazard, kind); });
  };
  const auto rewrite = find_unserved(backend.rewrites, RuleKind::Rewrite);
  const auto check = find_unserved(backend.checks, RuleKind::Check);
  if (rewrite == backend.rewrites.end() && check == backend.checks.end()) return {};
  return fail(Blame::Backend, "backend.unserved_hazard",
              fmt::format("the plugin {} declares the hazard '{}', which no rule serves", backend.name,
                          rewrite != backend.rewrites.end() ? *rewrite : *check),
              {}, "use a plugin that was made for this version of DyCL");
}

}  // namespace

std::vector<ValueId> LegalSubnet::outputs() const {
  std::vector<ValueId> outputs = results;
  for (const Guard& guard : guards) outputs.push_back(guard.raised);
  return outputs;
}

Result<Legalizer> Legalizer::make(Hcfg& graph, const BackendDescription& backend) {
  if (Status served = check_served(backend); !served) return failure_of(std::move(served));
  std::set<std::string, std::less<>> hazards(backend.rewrites.begin(), backend.rewrites.end());
  hazards.insert(backend.checks.begin(), backend.checks.end());
  return Legalizer(graph, std::move(hazards));
}

LegalSubnet Legalizer::run(std::span<const TensorOp> ops, std::vector<ValueId> results) {
  std::vector<OnnxOp> plain = expand_fragments(*graph_, ops, results);
  constants_.update(*graph_);
  plain = numbers_.fold(*graph_, constants_, std::move(plain), results);
  std::vector<Rule> rules = rules_for(hazards_, judge_of(ops));
  LegalSubnet legal{{}, std::move(results), {}};
  if (rules.empty()) {
    legal.ops = std::move(plain);
    return legal;
  }
  const SubnetFacts facts(plain, legal.results);
  LegalOps written = Writer(*graph_, constants_, facts, std::move(rules), hazards_).run(plain);
  legal.ops = std::move(written.ops);
  legal.guards = std::move(written.guards);
  constants_.update(*graph_);
  const std::string defect = legal_defect(*graph_, constants_, plain, legal.ops, legal.outputs());
  if (!defect.empty()) internal_error("legalization left a sub-DNN that is not legal: " + defect);
  return legal;
}

Result<std::vector<LegalSubnet>> legalize_subnets(Hcfg& graph, const BackendDescription& backend) {
  Result<Legalizer> legalizer = Legalizer::make(graph, backend);
  if (!legalizer) return failure_of(std::move(legalizer));
  const UseTable table = use_table(graph);
  std::vector<LegalSubnet> subnets;
  for (std::size_t block = 0; block < graph.blocks.size(); ++block)
    for (std::size_t index = 0; index < graph.blocks[block].steps.size(); ++index) {
      const auto* step = std::get_if<SubnetStep>(&graph.blocks[block].steps[index]);
      if (step == nullptr) continue;
      std::vector<ValueId> results = border_of(*step, table).outputs;
      if (results.empty()) continue;
      subnets.push_back(legalizer->run(step->ops, std::move(results)));
      subnets.back().block = BlockId(block);
      subnets.back().step = index;
    }
  return subnets;
}

std::string print_legal(const Hcfg& graph, std::span<const LegalSubnet> subnets) {
  Hcfg legal = graph;
  std::string guards;
  for (const LegalSubnet& subnet : subnets) {
    auto& step = std::get<SubnetStep>(legal.blocks[subnet.block.index()].steps[subnet.step]);
    step.ops.assign(subnet.ops.begin(), subnet.ops.end());
    for (const Guard& guard : subnet.guards)
      guards += fmt::format("// {}: %{} raises {}: {}\n", step.name, graph.value(guard.raised).name,
                            guard.type.empty() ? "backend.limit" : guard.type, guard.message);
  }
  return print(legal) + guards;
}

}  // namespace dycl::legalize
