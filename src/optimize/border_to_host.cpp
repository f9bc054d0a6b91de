// SPDX-License-Identifier: Apache-2.0
#include "optimize/border_to_host.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "optimize/group_subnets.h"
#include "optimize/view_of_op.h"

namespace dycl {
namespace {

class BorderPass {
 public:
  explicit BorderPass(Hcfg& graph) : graph_(graph), before_(graph), producers_(before_) {}

  void run() {
    for (Block& block : graph_.blocks) {
      std::vector<Step> steps;
      for (Step& step : block.steps) {
        if (auto* subnet = std::get_if<SubnetStep>(&step))
          peel(std::move(*subnet), steps);
        else
          steps.push_back(std::move(step));
      }
      block.steps = std::move(steps);
    }
    name_subnets(graph_);
  }

 private:
  void peel(SubnetStep subnet, std::vector<Step>& steps) {
    subnet.ops = move_before(std::move(subnet.ops), steps);
    std::vector<Step> behind = move_behind(subnet.ops);
    if (!subnet.ops.empty()) steps.emplace_back(std::move(subnet));
    std::ranges::move(behind, std::back_inserter(steps));
  }

  // Operations whose tensor comes from outside; returns those that stay.
  std::vector<TensorOp> move_before(std::vector<TensorOp> ops, std::vector<Step>& steps) {
    std::unordered_set<ValueId> inside;
    std::vector<TensorOp> stay;
    for (TensorOp& op : ops) {
      const bool from_outside = !op.inputs.empty() && !inside.contains(op.inputs[0]);
      if (from_outside && add_host_steps(op, steps)) continue;
      for (const ValueId output : op.outputs) inside.insert(output);
      stay.push_back(std::move(op));
    }
    return stay;
  }

  // Operations whose result nothing inside uses; taken out of `ops`.
  std::vector<Step> move_behind(std::vector<TensorOp>& ops) {
    std::unordered_set<ValueId> used;
    std::vector<std::vector<Step>> moved;  // last first
    for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
      std::vector<Step> steps;
      const bool only_outside = op->outputs.size() == 1 && !used.contains(op->outputs[0]);
      if (only_outside && add_host_steps(*op, steps)) {
        moved.push_back(std::move(steps));
        op->outputs.clear();
      } else {
        for (const ValueId input : op->inputs) used.insert(input);
      }
    }
    std::erase_if(ops, [](const TensorOp& op) { return op.outputs.empty(); });
    std::vector<Step> behind;
    for (auto steps = moved.rbegin(); steps != moved.rend(); ++steps)
      std::ranges::move(*steps, std::back_inserter(behind));
    return behind;
  }

  // A constant stays inside, where the backend can prepare it.
  bool add_host_steps(const TensorOp& op, std::vector<Step>& steps) {
    if (!op.inputs.empty() && op.inputs[0].valid() && producers_.tensor(op.inputs[0]) != nullptr)
      return false;
    const std::optional<HostView> view = view_of_op(before_, producers_, op);
    if (!view) return false;
    ValueId tensor = op.inputs[0];
    if (view->row) {
      const ValueId index = graph_.add_value(ScalarType{ScalarKind::I64}, "row");
      const ValueId row = view->dims ? graph_.add_value(row_type(tensor), "row_of") : op.outputs[0];
      steps.emplace_back(const_step(Scalar(*view->row), index, op.source));
      steps.emplace_back(HostStep{HostOp::Row, {}, {tensor, index}, {row}, op.source});
      tensor = row;
    }
    if (view->dims)
      steps.emplace_back(
          HostStep{HostOp::View, {{"dims", *view->dims}}, {tensor}, {op.outputs[0]}, op.source});
    return true;
  }

  [[nodiscard]] Type row_type(ValueId tensor) const {
    TensorType type = *graph_.type_of(tensor).tensor();
    type.dims->erase(type.dims->begin());
    return type;
  }

  Hcfg& graph_;
  const Hcfg before_;  // what producers_ reads while graph_ changes
  Producers producers_;
};

}  // namespace

Result<Hcfg> border_to_host(Hcfg graph, const PassContext&) {
  BorderPass(graph).run();
  return graph;
}

}  // namespace dycl
