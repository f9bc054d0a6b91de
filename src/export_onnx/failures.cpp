// SPDX-License-Identifier: Apache-2.0
#include "export_onnx/failures.h"

#include <algorithm>
#include <map>
#include <vector>

#include "hcfg/effects.h"
#include "hcfg/uses.h"

namespace dycl::export_onnx {
namespace {

class FailureCarrier {
 public:
  explicit FailureCarrier(Hcfg& graph)
      : graph_(graph),
        flow_(control_flow(graph)),
        uses_(use_table(graph)),
        is_needed_(graph.values.size(), false),
        may_fail_(graph.blocks.size(), false) {
    find_needed();
  }

  std::optional<SourceId> run() {
    find_blocks();
    for (const BlockId block : flow_.order)
      if (is_join(block)) graph_.blocks[block.index()].parameters.push_back(at_start_[block] = add_bool());
    for (const BlockId block : flow_.order)
      if (may_fail_[block.index()]) watch(block);
    for (const BlockId block : flow_.order)
      if (is_join(block)) pass_arguments(block);
    for (const auto& [block, failed] : at_end_) check_at_end(graph_.blocks[block.index()], failed);
    return first_;
  }

 private:
  // Values that results are computed from, path by path. What only decides which way a path takes is not
  // among them: a branch or a loop that gives nothing which is needed may be left out of the file, with its
  // condition.
  void find_needed() {
    std::vector<ValueId> found;
    const auto add = [&](ValueId value) {
      if (!value.valid() || is_needed_[value.index()]) return;
      is_needed_[value.index()] = true;
      found.push_back(value);
    };
    for (const BlockId block : flow_.order)
      if (const auto* result = std::get_if<Return>(&graph_.blocks[block.index()].terminator))
        std::ranges::for_each(result->values, add);
    while (!found.empty()) {
      const Definition& definition = uses_.definition(found.back());
      found.pop_back();
      if (definition.kind == DefinitionKind::Parameter) {
        for (const EdgeId& edge : flow_.predecessors[definition.place.block.index()])
          add(edge_of(graph_, edge).arguments[definition.index]);
      } else if (definition.kind == DefinitionKind::Step) {
        std::ranges::for_each(operands_at(definition.place), add);
      }
    }
  }

  [[nodiscard]] const std::vector<ValueId>& operands_at(const Place& place) const {
    const Step& step = graph_.blocks[place.block.index()].steps[place.step];
    if (const auto* host = std::get_if<HostStep>(&step)) return host->inputs;
    return inputs_of(std::get<SubnetStep>(step).ops[place.op]);
  }

  // Nothing would notice if the operation were left out, other than that it may raise.
  [[nodiscard]] bool is_watched(const Step& step) const {
    const auto* host = std::get_if<HostStep>(&step);
    return host != nullptr && has_effect(graph_, *host) &&
           std::ranges::none_of(host->outputs, [&](ValueId value) { return is_needed_[value.index()]; });
  }

  // The blocks that hold such an operation, and all that follow them.
  void find_blocks() {
    std::vector<BlockId> found;
    const auto add = [&](BlockId block) {
      if (may_fail_[block.index()]) return;
      may_fail_[block.index()] = true;
      found.push_back(block);
    };
    for (const BlockId block : flow_.order)
      if (std::ranges::any_of(graph_.blocks[block.index()].steps,
                              [&](const Step& step) { return is_watched(step); }))
        add(block);
    while (!found.empty()) {
      const BlockId block = found.back();
      found.pop_back();
      for (const BlockId next : flow_.successors[block.index()]) add(next);
    }
  }

  [[nodiscard]] bool is_join(BlockId block) const {
    const auto& incoming = flow_.predecessors[block.index()];
    return incoming.size() > 1 &&
           std::ranges::any_of(incoming, [&](const EdgeId& edge) { return may_fail_[edge.from.index()]; });
  }

  // Whether anything has failed before the block; not valid if nothing can.
  ValueId at_start(BlockId block) const {
    if (const auto found = at_start_.find(block); found != at_start_.end()) return found->second;
    const auto& incoming = flow_.predecessors[block.index()];
    if (incoming.size() != 1) return {};
    const auto found = at_end_.find(incoming.front().from);
    return found == at_end_.end() ? ValueId() : found->second;
  }

  void watch(BlockId block) {
    ValueId failed = at_start(block);
    std::vector<Step> steps;
    for (Step& step : graph_.blocks[block.index()].steps) {
      if (!is_watched(step)) {
        steps.push_back(std::move(step));
        continue;
      }
      const auto host = std::get<HostStep>(step);
      if (!first_) first_ = host.source;
      const ValueId fails = failure_of_step(steps, host);
      failed = failed.valid() ? append(steps, HostOp::Or, {failed, fails}, {}, host.source) : fails;
    }
    graph_.blocks[block.index()].steps = std::move(steps);
    at_end_[block] = failed;
  }

  // No number is less than itself; but whoever compares them needs the number, and fails with it.
  ValueId failure_of_step(std::vector<Step>& steps, const HostStep& host) {
    if (host.op != HostOp::Check) {
      steps.emplace_back(host);
      return append(steps, HostOp::Lt, {host.outputs[0], host.outputs[0]}, {}, host.source);
    }
    const ValueId fails = host.inputs[0];
    if (graph_.type_of(fails).tensor() == nullptr) return fails;
    return append(steps, HostOp::Item, {fails}, {}, host.source);
  }

  void pass_arguments(BlockId block) {
    for (const EdgeId& edge : flow_.predecessors[block.index()]) {
      const auto found = at_end_.find(edge.from);
      const ValueId failed = found != at_end_.end() ? found->second : add_false(edge.from);
      std::size_t index = 0;
      for_each_edge(graph_.blocks[edge.from.index()].terminator, [&](Edge& way) {
        if (index++ == edge.index) way.arguments.push_back(failed);
      });
    }
  }

  static void check_at_end(Block& block, ValueId failed) {
    if (!std::holds_alternative<Jump>(block.terminator))
      block.steps.emplace_back(HostStep{HostOp::Check, {}, {failed}, {}, {}});
  }

  ValueId add_bool() { return graph_.add_value(ScalarType{ScalarKind::Bool}, "failed"); }

  ValueId append(std::vector<Step>& steps, HostOp op, std::vector<ValueId> inputs, Attributes attributes,
                 SourceId source) {
    const ValueId result = add_bool();
    steps.emplace_back(HostStep{op, std::move(attributes), std::move(inputs), {result}, source});
    return result;
  }

  ValueId add_false(BlockId block) {
    return append(graph_.blocks[block.index()].steps, HostOp::Const, {}, {{"value", std::int64_t{0}}}, {});
  }

  Hcfg& graph_;
  const ControlFlow flow_;
  const UseTable uses_;
  std::vector<bool> is_needed_;  // by value: whether a result is computed from it
  std::vector<bool> may_fail_;   // by block: whether anything may have failed at its end
  std::map<BlockId, ValueId> at_start_;
  std::map<BlockId, ValueId> at_end_;
  std::optional<SourceId> first_;
};

}  // namespace

std::optional<SourceId> carry_failures(Hcfg& graph) { return FailureCarrier(graph).run(); }

ValueId failure_at_end(const Block& block) {
  const auto* host = block.steps.empty() ? nullptr : std::get_if<HostStep>(&block.steps.back());
  return host != nullptr && host->op == HostOp::Check ? host->inputs[0] : ValueId();
}

}  // namespace dycl::export_onnx
