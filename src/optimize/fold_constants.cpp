// SPDX-License-Identifier: Apache-2.0
#include "optimize/fold_constants.h"

#include <algorithm>

#include "hcfg/uses.h"
#include "optimize/edit.h"
#include "optimize/fold_host_step.h"
#include "optimize/fold_tensor_op.h"
#include "optimize/producers.h"
#include "optimize/replacements.h"

namespace dycl::optimize {
namespace {

// Per value: the length of a sequence or the state of an optional that is made in sight.
std::vector<std::optional<Scalar>> containers_of(const Hcfg& graph) {
  std::vector<std::optional<Scalar>> containers(graph.values.size());
  for (const Block& block : graph.blocks)
    for (const Step& step : block.steps) {
      const auto* host = std::get_if<HostStep>(&step);
      if (host == nullptr) continue;
      if (host->op == HostOp::SeqOf || host->op == HostOp::SeqEmpty)
        containers[host->outputs[0].index()] = static_cast<std::int64_t>(host->inputs.size());
      if (host->op == HostOp::Some || host->op == HostOp::None)
        containers[host->outputs[0].index()] = host->op == HostOp::Some;
    }
  return containers;
}

// Folds block after block in reverse post-order and follows only edges that can still be taken, so a
// branch that folds lets the code behind it fold in the same walk.
class Folding {
 public:
  Folding(Hcfg& graph, const PassContext& context)
      : graph_(graph),
        context_(context),
        flow_(control_flow(graph)),
        known_(graph),
        containers_(containers_of(graph)),
        symbols_(graph, flow_),
        now_constant_(graph.values.size()),
        taken_(graph.blocks.size()),
        entered_(graph.blocks.size()) {}

  void run() {
    for (const BlockId block : flow_.order) {
      entered_[block.index()] = block.index() == 0 || can_be_entered(block);
      if (!entered_[block.index()]) continue;
      fold_parameters(block);
      for (Step& step : graph_.blocks[block.index()].steps) fold_step(step);
      choose_edge(block);
    }
    finish();
  }

 private:
  [[nodiscard]] bool can_be_taken(const EdgeId& edge) const {
    const std::optional<std::size_t>& taken = taken_[edge.from.index()];
    return flow_.reachable(edge.from) && (!taken || *taken == edge.index);
  }

  // Edges that go back do not count: whoever takes one has been here before.
  [[nodiscard]] bool can_be_entered(BlockId block) const {
    return std::ranges::any_of(flow_.predecessors[block.index()], [&](const EdgeId& edge) {
      return flow_.reachable(edge.from) && entered_[edge.from.index()] && can_be_taken(edge) &&
             flow_.position[edge.from.index()] < flow_.position[block.index()];
    });
  }

  [[nodiscard]] bool is_dead_end(const EdgeId& edge, BlockId block) const {
    const bool forward = flow_.position[edge.from.index()] < flow_.position[block.index()];
    return !can_be_taken(edge) || (forward && !entered_[edge.from.index()]);
  }

  // The scalar that every edge brings, a loop's own value handed back not counted.
  [[nodiscard]] std::optional<Scalar> common_scalar(BlockId block, std::size_t index) const {
    const ValueId parameter = graph_.blocks[block.index()].parameters[index];
    std::optional<Scalar> common;
    for (const EdgeId& edge : flow_.predecessors[block.index()]) {
      if (is_dead_end(edge, block)) continue;
      const ValueId argument = edge_of(graph_, edge).arguments[index];
      if (argument == parameter) continue;
      const std::optional<Scalar>& scalar = known_.scalar(argument);
      if (!scalar || (common && !identical(*common, *scalar))) return std::nullopt;
      common = scalar;
    }
    return common;
  }

  void fold_parameters(BlockId id) {
    Block& block = graph_.blocks[id.index()];
    std::vector<Step> constants;
    for (std::size_t index = 0; index < block.parameters.size(); ++index) {
      const ValueId parameter = block.parameters[index];
      if (graph_.type_of(parameter).scalar() == nullptr) continue;
      const std::optional<Scalar> scalar = common_scalar(id, index);
      if (!scalar) continue;
      known_.learn(parameter, *scalar);
      now_constant_[parameter.index()] = true;
      constants.emplace_back(const_step(*scalar, parameter, block.source));
    }
    block.steps.insert(block.steps.begin(), constants.begin(), constants.end());
  }

  void fold_step(Step& step) {
    if (auto* subnet = std::get_if<SubnetStep>(&step)) {
      std::erase_if(subnet->ops, [&](const TensorOp& op) { return fold_op(op); });
      return;
    }
    auto& host = std::get<HostStep>(step);
    if (host.op == HostOp::Const || family_of(host.op) == HostOpFamily::Effect) return;
    const ValueId output = host.outputs[0];
    FoldedValue folded = fold_host_step(graph_, known_, host);
    if (host.op == HostOp::SeqLen || host.op == HostOp::HasValue)
      if (const auto& about = containers_[host.inputs[0].index()]) folded = *about;
    if (const auto* scalar = std::get_if<Scalar>(&folded)) {
      known_.learn(output, *scalar);
      host = const_step(*scalar, output, host.source);
    } else if (auto* tensor = std::get_if<TensorPtr>(&folded);
               tensor != nullptr && sizes_are_own(output, **tensor)) {
      add_constant(output, std::move(*tensor));
      host.outputs.clear();  // swept up in finish()
    }
  }

  bool fold_op(const TensorOp& op) {
    auto results = fold_tensor_op(graph_, known_, op, context_);
    if (!results) return false;
    const std::vector<ValueId>& outputs = outputs_of(op);
    for (std::size_t index = 0; index < outputs.size(); ++index)
      if (outputs[index].valid() && !sizes_are_own(outputs[index], *(*results)[index])) return false;
    for (std::size_t index = 0; index < outputs.size(); ++index)
      if (outputs[index].valid()) add_constant(outputs[index], std::move((*results)[index]));
    return true;
  }

  // Every declared size is the constant's, or a symbol that this value binds: a size that means another
  // value's symbol would no longer fit the parameters that expect the symbol.
  [[nodiscard]] bool sizes_are_own(ValueId value, const TensorData& tensor) const {
    const TensorType& type = *graph_.type_of(value).tensor();
    if (!type.dims) return true;
    return std::ranges::equal(*type.dims, tensor.dims, [&](const Dim& dim, std::int64_t size) {
      const std::optional<SymbolId> symbol = dim.as_symbol();
      return dim == Dim(size) || (symbol && symbols_.binder(*symbol) == value);
    });
  }

  // The value keeps its id; its sizes are known now, and so are the symbols it bound.
  void add_constant(ValueId value, TensorPtr tensor) {
    auto& type = std::get<TensorType>(graph_.values[value.index()].type);
    std::vector<Dim> dims(tensor->dims.begin(), tensor->dims.end());
    for (std::size_t axis = 0; type.dims && axis < dims.size(); ++axis)
      if (const auto symbol = (*type.dims)[axis].as_symbol()) symbols_.replace_symbol(*symbol, dims[axis]);
    type.dims = std::move(dims);
    known_.learn(value, tensor);
    graph_.constants.push_back({value, std::move(tensor)});
  }

  void choose_edge(BlockId block) {
    taken_[block.index()] = known_choice(graph_.blocks[block.index()].terminator,
                                         [this](ValueId value) { return known_.scalar(value); });
  }

  void finish() {
    for (std::size_t index = 0; index < taken_.size(); ++index) {
      if (!taken_[index]) continue;
      Edge edge = edge_of(graph_, {BlockId(index), *taken_[index]});
      graph_.blocks[index].terminator = Jump{std::move(edge)};
    }
    drop_parameters(graph_, [&](ValueId parameter) { return now_constant_[parameter.index()]; });
    drop_steps(graph_, [](const std::vector<ValueId>& outputs) { return outputs.empty(); });
    drop_unreachable_blocks(graph_);
    symbols_.apply(graph_);
  }

  Hcfg& graph_;
  const PassContext& context_;
  ControlFlow flow_;
  KnownValues known_;
  std::vector<std::optional<Scalar>> containers_;  // see containers_of
  Replacements symbols_;
  std::vector<bool> now_constant_;                 // per value: parameters that a Const step defines now
  std::vector<std::optional<std::size_t>> taken_;  // per block: the one edge that is taken
  std::vector<bool> entered_;                      // per block
};

}  // namespace

Result<Hcfg> fold_constants(Hcfg graph, const PassContext& context) {
  Folding(graph, context).run();
  return graph;
}

}  // namespace dycl::optimize
