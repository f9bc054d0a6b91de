// SPDX-License-Identifier: Apache-2.0
#include "export_onnx/stored_graph.h"

#include <fmt/format.h>

#include <unordered_map>

#include "hcfg/text.h"
#include "import_onnx/from_onnx.h"
#include "import_onnx/read_model.h"

namespace dycl::export_onnx {
namespace {

// Tensors known at compile time by the key that the graph's text names them with: they lie among the
// weights, and the small ones inside the sub-DNNs' graphs.
class ConstantsByKey {
 public:
  Status add(const Artifact& artifact) {
    for (const auto& [name, tensor] : artifact.weights) tensors_.emplace(constant_key(*tensor), tensor);
    for (const auto& [hash, subnet] : artifact.subnets) {
      Result<std::unique_ptr<onnx::ModelProto>> model = import_onnx::read_model_bytes(subnet.graph, hash);
      if (!model) return failure_of(std::move(model));
      for (const onnx::TensorProto& tensor : (*model)->graph().initializer())
        if (tensor.data_location() != onnx::TensorProto::EXTERNAL) add(tensor);
      for (const onnx::NodeProto& node : (*model)->graph().node())
        for (const onnx::AttributeProto& attribute : node.attribute())
          if (attribute.has_t()) add(attribute.t());
    }
    return {};
  }

  [[nodiscard]] TensorPtr find(std::string_view key) const {
    const auto found = tensors_.find(std::string(key));
    return found == tensors_.end() ? nullptr : found->second;
  }

 private:
  void add(const onnx::TensorProto& proto) {
    if (Result<TensorData> tensor = import_onnx::from_onnx(proto, {}))
      tensors_.emplace(constant_key(*tensor), std::make_shared<const TensorData>(std::move(*tensor)));
  }

  std::unordered_map<std::string, TensorPtr> tensors_;
};

SourceId add_stack(Hcfg& graph, const PlanInstruction& instruction) {
  if (!instruction.source.known()) return {};
  SourceId caller;
  for (auto span = instruction.callers.rbegin(); span != instruction.callers.rend(); ++span)
    caller = graph.add_source(*span, caller);
  return graph.add_source(instruction.source, caller);
}

// Graphs are stored with their positions. For a text that has none, the plan knows those of each host step
// and of each block's end.
void restore_sources(const HostPlan& plan, Hcfg& graph) {
  if (!graph.sources.empty()) return;
  for (std::size_t index = 0; index < plan.blocks.size(); ++index) {
    const std::size_t end = index + 1 < plan.blocks.size() ? plan.blocks[index + 1].start : plan.code.size();
    if (plan.blocks[index].number >= graph.blocks.size() || end == 0) continue;
    Block& block = graph.blocks[plan.blocks[index].number];
    std::size_t next = plan.blocks[index].start;
    for (Step& step : block.steps) {
      auto* host = std::get_if<HostStep>(&step);
      if (host == nullptr) continue;
      while (next < end && !std::holds_alternative<PlanHost>(plan.code[next].operation)) ++next;
      if (next < end) host->source = add_stack(graph, plan.code[next++]);
    }
    block.source = add_stack(graph, plan.code[end - 1]);
  }
}

}  // namespace

Result<Hcfg> graph_of(const Artifact& artifact) {
  if (artifact.hcfg.empty())
    return fail(Blame::Unsupported, "export.no_graph",
                "the package keeps no control-flow graph, because it was stripped", {},
                "use the package that it was made from");
  ConstantsByKey constants;
  if (Status added = constants.add(artifact); !added) return failure_of(std::move(added));
  Result<Hcfg> graph = parse_hcfg(artifact.hcfg, [&](std::string_view key) { return constants.find(key); });
  if (!graph)
    return fail(Blame::Unsupported, "export.no_graph",
                fmt::format("the program's graph cannot be read back: {}", graph.error().message), {},
                "compile the model again");
  restore_sources(artifact.plan, *graph);
  return graph;
}

}  // namespace dycl::export_onnx
