// SPDX-License-Identifier: Apache-2.0
#include "optimize/group_subnets.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "hcfg/effects.h"
#include "hcfg/uses.h"

namespace dycl::optimize {
namespace {

// One turn of a block: host steps, then a sub-DNN that may use them and everything before.
struct Turn {
  std::vector<HostStep> host;
  std::vector<TensorOp> device;
};

// Where a value that the current block defines becomes available.
struct Available {
  std::size_t block = static_cast<std::size_t>(-1);
  std::size_t turn = 0;
  bool on_device = false;
};

class BlockGrouping {
 public:
  explicit BlockGrouping(const Hcfg& graph) : graph_(graph), available_(graph.values.size()) {}

  std::vector<Step> regroup(std::size_t block, std::vector<Step> steps) {
    block_ = block;
    turns_.clear();
    last_effect_ = 0;
    for (Step& step : steps) {
      if (auto* host = std::get_if<HostStep>(&step))
        place(std::move(*host));
      else
        for (TensorOp& op : std::get<SubnetStep>(step).ops) place(std::move(op));
    }
    return take_steps();
  }

 private:
  // The first turn in which all inputs are there. What a sub-DNN computes reaches the host a turn later.
  [[nodiscard]] std::size_t earliest(const std::vector<ValueId>& inputs, bool on_device) const {
    std::size_t turn = 0;
    for (const ValueId input : inputs) {
      if (!input.valid() || available_[input.index()].block != block_) continue;
      const Available& source = available_[input.index()];
      turn = std::max(turn, source.turn + (source.on_device && !on_device ? 1 : 0));
    }
    return turn;
  }

  Turn& turn_at(std::size_t turn, const std::vector<ValueId>& outputs, bool on_device) {
    for (const ValueId output : outputs)
      if (output.valid()) available_[output.index()] = {block_, turn, on_device};
    if (turns_.size() <= turn) turns_.resize(turn + 1);
    return turns_[turn];
  }

  // What may raise keeps its order: the first of two errors is the one that the model raises.
  void place(HostStep host) {
    std::size_t turn = earliest(host.inputs, false);
    if (has_effect(graph_, host)) turn = last_effect_ = std::max(turn, last_effect_);
    turn_at(turn, host.outputs, false).host.push_back(std::move(host));
  }

  void place(TensorOp op) {
    turn_at(earliest(inputs_of(op), true), outputs_of(op), true).device.push_back(std::move(op));
  }

  std::vector<Step> take_steps() {
    std::vector<Step> steps;
    for (Turn& turn : turns_) {
      std::ranges::move(turn.host, std::back_inserter(steps));
      if (!turn.device.empty()) steps.emplace_back(SubnetStep{{}, std::move(turn.device)});
    }
    return steps;
  }

  const Hcfg& graph_;  // for its values' types: its steps are taken out meanwhile
  std::size_t block_ = 0;
  std::size_t last_effect_ = 0;  // turn of the last step that may raise
  std::vector<Turn> turns_;
  std::vector<Available> available_;  // per value
};

std::vector<Step> join_neighbours(std::vector<Step> steps) {
  std::vector<Step> joined;
  for (Step& step : steps) {
    auto* subnet = std::get_if<SubnetStep>(&step);
    auto* last = joined.empty() ? nullptr : std::get_if<SubnetStep>(&joined.back());
    if (subnet != nullptr && last != nullptr)
      std::ranges::move(subnet->ops, std::back_inserter(last->ops));
    else
      joined.push_back(std::move(step));
  }
  return joined;
}

}  // namespace

Result<Hcfg> group_subnets(Hcfg graph, const PassContext& context) {
  BlockGrouping grouping(graph);
  for (std::size_t index = 0; index < graph.blocks.size(); ++index) {
    std::vector<Step>& steps = graph.blocks[index].steps;
    steps =
        context.level <= 0 ? join_neighbours(std::move(steps)) : grouping.regroup(index, std::move(steps));
  }
  name_subnets(graph);
  return graph;
}

void name_subnets(Hcfg& graph) {
  std::size_t count = 0;
  for (Block& block : graph.blocks)
    for (Step& step : block.steps)
      if (auto* subnet = std::get_if<SubnetStep>(&step)) subnet->name = fmt::format("s{}", count++);
}

}  // namespace dycl::optimize
