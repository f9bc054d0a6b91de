// SPDX-License-Identifier: Apache-2.0
#include "optimize/same_parameters.h"

#include <deque>

namespace dycl::optimize {
namespace {

struct Parameter {
  BlockId block;
  std::size_t index = 0;
  std::vector<ValueId> feeds;  // parameters that receive this one on some edge
  int changes = 0;
};

class SameParameters {
 public:
  SameParameters(const Hcfg& graph, const ControlFlow& flow, Replacements& values)
      : graph_(graph),
        flow_(flow),
        values_(values),
        equals_(graph.values.size()),
        slot_(graph.values.size()) {
    for (const BlockId block : flow.order) add_parameters(block);
    for (const BlockId block : flow.order)
      for (const EdgeId& edge : flow.predecessors[block.index()]) add_feeds(edge);
  }

  void run() {
    while (!pending_.empty()) {
      const ValueId parameter = pending_.front();
      pending_.pop_front();
      update(parameter);
    }
    for (const ValueId parameter : all_)
      if (const ValueId same = equals_[parameter.index()]; same.valid() && same != parameter)
        values_.replace(parameter, same);
  }

 private:
  void add_parameters(BlockId block) {
    const std::vector<ValueId>& parameters = graph_.blocks[block.index()].parameters;
    for (std::size_t index = 0; index < parameters.size(); ++index) {
      parameters_.push_back({block, index, {}, 0});
      slot_[parameters[index].index()] = parameters_.size();
      all_.push_back(parameters[index]);
      pending_.push_back(parameters[index]);
    }
  }

  void add_feeds(const EdgeId& id) {
    if (!flow_.reachable(id.from)) return;
    const Edge& edge = edge_of(graph_, id);
    for (std::size_t index = 0; index < edge.arguments.size(); ++index)
      if (Parameter* source = find(values_.resolve(edge.arguments[index])))
        source->feeds.push_back(graph_.blocks[edge.target.index()].parameters[index]);
  }

  Parameter* find(ValueId value) {
    const std::size_t slot = slot_[value.index()];
    return slot == 0 ? nullptr : &parameters_[slot - 1];
  }

  // What an argument stands for; an invalid id: not known yet.
  ValueId meaning(ValueId argument) {
    const ValueId value = values_.resolve(argument);
    return find(value) == nullptr ? value : equals_[value.index()];
  }

  // The one value that all edges bring; the parameter itself if they differ.
  ValueId common(ValueId parameter, const Parameter& info) {
    ValueId same;
    for (const EdgeId& edge : flow_.predecessors[info.block.index()]) {
      if (!flow_.reachable(edge.from)) continue;
      const ValueId value = meaning(edge_of(graph_, edge).arguments[info.index]);
      if (!value.valid() || value == parameter) continue;
      if (same.valid() && same != value) return parameter;
      same = value;
    }
    return same.valid() && !values_.possible(parameter, same) ? parameter : same;
  }

  void update(ValueId parameter) {
    Parameter& info = *find(parameter);
    ValueId& known = equals_[parameter.index()];
    if (known == parameter) return;
    ValueId now = common(parameter, info);
    if (now == known) return;
    constexpr int kPatience = 8;  // a guess that is corrected again and again is given up
    if (++info.changes > kPatience) now = parameter;
    known = now;
    pending_.insert(pending_.end(), info.feeds.begin(), info.feeds.end());
  }

  const Hcfg& graph_;
  const ControlFlow& flow_;
  Replacements& values_;
  std::vector<ValueId> equals_;    // per value: parameters only
  std::vector<std::size_t> slot_;  // per value: 1 + place in parameters_, 0 for other values
  std::vector<Parameter> parameters_;
  std::vector<ValueId> all_;
  std::deque<ValueId> pending_;
};

}  // namespace

void replace_same_parameters(const Hcfg& graph, const ControlFlow& flow, Replacements& values) {
  SameParameters(graph, flow, values).run();
}

}  // namespace dycl::optimize
