// SPDX-License-Identifier: Apache-2.0
#include "package/strip.h"

#include <algorithm>

#include "onnx_wire/read_model.h"
#include "onnx_wire/write_model.h"

namespace dycl {
namespace {

bool is_compiled(const Artifact& artifact, const std::set<std::string>& native, const std::string& hash,
                 const SubnetArtifact& stored) {
  return std::ranges::all_of(artifact.plan.subnets, [&](const PlanSubnet& subnet) {
    return subnet.hash != hash || (native.contains(subnet.backend) && stored.blobs.contains(subnet.backend));
  });
}

// One node stands for what is compiled: inputs, outputs and weights are still checked, and given.
Status leave_the_border(std::string& graph) {
  auto model = onnx_wire::read_model(graph);
  if (!model) return fail(Blame::Package, "package.bad_subnet", model.error());
  onnx_wire::Node compiled;
  compiled.op = "Compiled";
  compiled.domain = "dycl";
  for (const onnx_wire::ValueInfo& input : model->inputs) compiled.inputs.push_back(input.name);
  for (const onnx_wire::ValueInfo& output : model->outputs) compiled.outputs.push_back(output.name);
  model->nodes = {std::move(compiled)};
  model->values.clear();
  graph = onnx_wire::write_model(*model);
  return {};
}

}  // namespace

Result<VerifiedArtifact> strip_unused(const Artifact& artifact, const std::set<std::string>& native,
                                      std::vector<std::string>& lost) {
  Artifact stripped = artifact;
  if (!stripped.hcfg.empty())
    lost.emplace_back("the control-flow graph: no export to ONNX, no inspect --dot and --hcfg");
  if (!stripped.verification.empty()) lost.emplace_back("the verification report: no inspect --verification");
  if (!stripped.choices.empty()) lost.emplace_back("the times of the backends that were compared");
  stripped.hcfg.clear();
  stripped.verification.clear();
  stripped.choices.clear();
  bool compiled = false;
  for (auto& [hash, subnet] : stripped.subnets) {
    if (!is_compiled(artifact, native, hash, subnet)) {
      subnet.aten.clear();
      continue;
    }
    compiled = true;
    if (Status left = leave_the_border(subnet.graph); !left) return failure_of(std::move(left));
  }
  if (compiled) lost.emplace_back("the operators of compiled sub-DNNs: no other processor, no other backend");
  return verify_artifact(std::move(stripped));
}

}  // namespace dycl
