// SPDX-License-Identifier: Apache-2.0
#include "export_onnx/export_onnx.h"

#include <fmt/format.h>

#include <iterator>

#include "export_onnx/exporter.h"
#include "export_onnx/failures.h"
#include "export_onnx/refusals.h"
#include "export_onnx/remove_unused.h"
#include "hcfg/fragment.h"
#include "hcfg/operator_versions.h"
#include "legalize/legalize.h"
#include "legalize/rule_list.h"

namespace dycl::export_onnx {
namespace {

constexpr std::int64_t kPreferredOpset = 18;  // has everything that host operations use

BackendDescription any_runtime() {
  BackendDescription description;
  description.name = "an ONNX runtime";
  description.rewrites = legalize::hazards_of_exported_files();
  return description;
}

void expand(legalize::Legalizer& legalizer, SubnetStep& subnet, const std::vector<ValueId>& needed) {
  std::vector<OnnxOp> ops = legalizer.run(subnet.ops, needed).ops;
  subnet.ops.assign(std::move_iterator(ops.begin()), std::move_iterator(ops.end()));
}

// The graph with ONNX operators in place of calls of fragments.
Hcfg expanded(const Hcfg& graph) {
  Hcfg plain = graph;
  Result<legalize::Legalizer> legalizer = legalize::Legalizer::make(plain, any_runtime());
  if (!legalizer) internal_error(legalizer.error().message);
  const UseTable uses = use_table(graph);
  for (Block& block : plain.blocks)
    for (Step& step : block.steps)
      if (auto* subnet = std::get_if<SubnetStep>(&step))
        expand(*legalizer, *subnet, border_of(*subnet, uses).outputs);
  return plain;
}

// An operator set that means the same for every operation; newer than the model's where that is possible.
Result<std::vector<OpsetImport>> operator_sets(const Hcfg& graph) {
  std::vector<const OnnxOp*> ops;
  std::int64_t highest = newest_opset();
  for (const Block& block : graph.blocks)
    for (const Step& step : block.steps)
      if (const auto* subnet = std::get_if<SubnetStep>(&step))
        for (const TensorOp& op : subnet->ops) {
          ops.push_back(&std::get<OnnxOp>(op));
          if (ops.back()->domain.empty()) highest = std::min(highest, opsets_of(*ops.back()).highest);
        }
  Result<std::vector<OpsetImport>> imports = common_opsets(graph, ops, newest_opset());
  if (!imports) return imports;
  for (OpsetImport& import : *imports)
    if (import.domain.empty()) import.version = std::max(import.version, std::min(highest, kPreferredOpset));
  return imports;
}

Status check_opset(const Hcfg& graph, const std::vector<OpsetImport>& imports, std::int64_t needed) {
  for (const OpsetImport& import : imports)
    if (import.domain.empty() && import.version < needed)
      return fail(Blame::Unsupported, "export.old_operators",
                  fmt::format("'{}' has operators of operator set {}, and its control flow needs {}",
                              graph.name, import.version, needed),
                  {}, "convert the model to a newer operator set (onnx.version_converter)");
  return {};
}

// What readers of that operator set know.
std::int64_t ir_version_of(std::int64_t opset) { return opset < 21 ? 8 : 10; }

}  // namespace

Result<std::unique_ptr<onnx::ModelProto>> export_onnx(const Hcfg& graph) {
  if (Status good = refuse_inexpressible(graph, control_flow(graph)); !good)
    return failure_of(std::move(good));
  Hcfg plain = expanded(graph);
  const std::optional<SourceId> raises = carry_failures(plain);
  const Structure structure(plain);
  Result<ResultPorts> results = result_ports(plain, structure.flow);
  if (!results) return failure_of(std::move(results));
  Result<std::vector<OpsetImport>> imports = operator_sets(plain);
  if (!imports) return failure_of(std::move(imports));
  if (results->returns.empty())
    return fail(Blame::Unsupported, "export.endless", "the model never returns", {},
                "give its loop a way to end");
  if (results->ports.empty())
    return fail(Blame::Unsupported, "export.no_result", "the model returns no tensor and no number", {},
                "return what the file shall give");
  if (raises && !results->number_or_tensor()) return refuse_hidden_failure(graph, *raises);
  Exporter exporter(plain, structure, *results);
  Result<onnx::GraphProto> main = exporter.run();
  if (!main) return failure_of(std::move(main));
  if (Status good = check_opset(graph, *imports, exporter.needed_opset()); !good)
    return failure_of(std::move(good));
  auto model = std::make_unique<onnx::ModelProto>();
  *model->mutable_graph() = std::move(*main);
  remove_unused(*model->mutable_graph());
  for (const OpsetImport& import : *imports) {
    onnx::OperatorSetIdProto& proto = *model->add_opset_import();
    proto.set_domain(import.domain);
    proto.set_version(import.version);
    if (import.domain.empty()) model->set_ir_version(ir_version_of(import.version));
  }
  model->set_producer_name("dycl");
  model->set_producer_version(DYCL_VERSION);
  return model;
}

}  // namespace dycl::export_onnx
