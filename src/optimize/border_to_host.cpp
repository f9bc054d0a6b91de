// SPDX-License-Identifier: Apache-2.0
#include "optimize/border_to_host.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "optimize/group_subnets.h"
#include "optimize/view_of_op.h"

namespace dycl::optimize {
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
      const std::optional<HostView> view = movable_view(op);
      if (view && !inside.contains(view->tensor)) {
        add_host_steps(op, *view, steps);
        continue;
      }
      for (const ValueId output : outputs_of(op)) inside.insert(output);
      stay.push_back(std::move(op));
    }
    return stay;
  }

  // Operations whose result nothing inside uses; taken out of `ops`.
  std::vector<Step> move_behind(std::vector<TensorOp>& ops) {
    std::unordered_set<ValueId> used;
    std::vector<std::vector<Step>> moved;  // last first
    for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
      const std::optional<HostView> view = movable_view(*op);
      if (view && !used.contains(outputs_of(*op)[0])) {
        add_host_steps(*op, *view, moved.emplace_back());
        outputs_of(*op).clear();
      } else {
        for (const ValueId input : inputs_of(*op)) used.insert(input);
      }
    }
    std::erase_if(ops, [](const TensorOp& op) { return outputs_of(op).empty(); });
    std::vector<Step> behind;
    for (auto steps = moved.rbegin(); steps != moved.rend(); ++steps)
      std::ranges::move(*steps, std::back_inserter(behind));
    return behind;
  }

  // A constant stays inside, where the backend can prepare it.
  [[nodiscard]] std::optional<HostView> movable_view(const TensorOp& op) const {
    std::optional<HostView> view = view_of_op(before_, producers_, op);
    const bool of_constant = view && producers_.tensor(view->tensor) != nullptr;
    return of_constant ? std::nullopt : view;
  }

  void add_host_steps(const TensorOp& op, const HostView& view, std::vector<Step>& steps) {
    const ValueId output = outputs_of(op)[0];
    const SourceId source = source_of(op);
    ValueId tensor = view.tensor;
    if (view.row) {
      const ValueId index = graph_.add_value(ScalarType{ScalarKind::I64}, "row");
      const ValueId row = view.dims ? graph_.add_value(row_type(tensor), "row_of") : output;
      steps.emplace_back(const_step(Scalar(*view.row), index, source));
      steps.emplace_back(HostStep{HostOp::Row, {}, {tensor, index}, {row}, source});
      tensor = row;
    }
    if (view.dims)
      steps.emplace_back(HostStep{HostOp::View, {{"dims", *view.dims}}, {tensor}, {output}, source});
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

}  // namespace dycl::optimize
