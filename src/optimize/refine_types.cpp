// SPDX-License-Identifier: Apache-2.0
#include "optimize/refine_types.h"

#include <algorithm>

#include "hcfg/control_flow.h"
#include "optimize/replacements.h"

namespace dycl::optimize {
namespace {

class TypeRefiner {
 public:
  TypeRefiner(Hcfg& graph, TypeInference& inference)
      : graph_(graph), inference_(inference), flow_(control_flow(graph)), replacements_(graph, flow_) {}

  // Whether anything became more precise.
  bool run() {
    for (const BlockId block : flow_.order) {
      if (!closes_a_loop(block)) refine_parameters(block);
      for (const Step& step : graph_.blocks[block.index()].steps)
        if (const auto* subnet = std::get_if<SubnetStep>(&step)) refine_subnet(*subnet);
    }
    if (sizes_found_) replacements_.apply(graph_);
    return changed_ || sizes_found_;
  }

 private:
  [[nodiscard]] bool closes_a_loop(BlockId block) const {
    return std::ranges::any_of(flow_.predecessors[block.index()], [&](const EdgeId& edge) {
      return flow_.position[edge.from.index()] >= flow_.position[block.index()];
    });
  }

  void refine_parameters(BlockId block) {
    const std::vector<ValueId>& parameters = graph_.blocks[block.index()].parameters;
    const std::vector<EdgeId>& edges = flow_.predecessors[block.index()];
    if (edges.empty()) return;
    for (std::size_t index = 0; index < parameters.size(); ++index) {
      std::optional<TensorType> common = argument_type(edges[0], index);
      for (const EdgeId& edge : edges) common = common_type(common, argument_type(edge, index));
      if (common) refine(parameters[index], *common);
    }
  }

  [[nodiscard]] std::optional<TensorType> argument_type(const EdgeId& edge, std::size_t index) const {
    const TensorType* type = graph_.type_of(edge_of(graph_, edge).arguments[index]).tensor();
    return type != nullptr && type->dims ? std::optional(*type) : std::nullopt;
  }

  // Sizes that differ, or that are known only by a symbol, are given a fresh one.
  std::optional<TensorType> common_type(std::optional<TensorType> left,
                                        const std::optional<TensorType>& right) {
    if (!left || !right || left->dims->size() != right->dims->size()) return std::nullopt;
    for (std::size_t axis = 0; axis < left->dims->size(); ++axis) {
      Dim& dim = (*left->dims)[axis];
      if (!dim.is_static() || dim != (*right->dims)[axis]) dim = Dim(graph_.add_symbol("d"));
    }
    return left;
  }

  // The results of calls have the types that their fragments say.
  void refine_subnet(const SubnetStep& subnet) {
    const std::vector<OnnxOp> ops = onnx_ops_of(subnet.ops);
    if (ops.empty()) return;
    const Result<std::map<ValueId, TensorType>> types = inference_.infer(graph_, ops);
    if (!types) return;  // what was known stays
    for (const auto& [value, type] : *types) refine(value, type);
  }

  void refine(ValueId value, const TensorType& better) {
    auto* type = std::get_if<TensorType>(&graph_.values[value.index()].type);
    if (type == nullptr || !better.dims) return;
    if (!type->dims) {
      type->dims = better.dims;
      changed_ = true;
      return;
    }
    if (type->dims->size() != better.dims->size()) return;
    for (std::size_t axis = 0; axis < type->dims->size(); ++axis) {
      const std::optional<SymbolId> symbol = (*type->dims)[axis].as_symbol();
      if (!symbol || !(*better.dims)[axis].is_static() || replacements_.binder(*symbol) != value) continue;
      replacements_.replace_symbol(*symbol, (*better.dims)[axis]);
      sizes_found_ = true;
    }
  }

  Hcfg& graph_;
  TypeInference& inference_;
  const ControlFlow flow_;
  Replacements replacements_;
  bool changed_ = false;
  bool sizes_found_ = false;
};

}  // namespace

Result<Hcfg> refine_types(Hcfg graph, const PassContext& context) {
  if (context.inference == nullptr) return graph;
  Hcfg refined = graph;
  return TypeRefiner(refined, *context.inference).run() ? std::move(refined) : std::move(graph);
}

}  // namespace dycl::optimize
