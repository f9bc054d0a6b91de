// SPDX-License-Identifier: Apache-2.0
#include "optimize/counted_loop.h"

#include <algorithm>
#include <limits>

namespace dycl::optimize {
namespace {

class CounterSearch {
 public:
  CounterSearch(const Hcfg& graph, const ControlFlow& flow, const Producers& producers, const Loop& loop)
      : graph_(graph), flow_(flow), producers_(producers), loop_(loop) {}

  [[nodiscard]] std::optional<CountedLoop> find() const {
    const auto* branch = std::get_if<Branch>(&header().terminator);
    const bool leaves_on_false =
        branch != nullptr && contains(branch->then_edge.target) && !contains(branch->else_edge.target);
    if (!leaves_on_false || loop_.header.index() == 0) return std::nullopt;
    std::vector<ValueId> conditions{branch->condition};
    while (!conditions.empty()) {
      const ValueId condition = conditions.back();
      conditions.pop_back();
      const HostStep* step = step_of_header(condition);
      if (step == nullptr) continue;
      if (step->op == HostOp::And)
        conditions.insert(conditions.end(), step->inputs.begin(), step->inputs.end());
      if (step->op != HostOp::Lt && step->op != HostOp::Le) continue;
      if (const std::optional<std::int64_t> trips = trips_of(*step))
        return CountedLoop{loop_, condition, *trips};
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] const Block& header() const { return graph_.blocks[loop_.header.index()]; }
  [[nodiscard]] bool contains(BlockId block) const { return std::ranges::binary_search(loop_.blocks, block); }

  [[nodiscard]] const HostStep* step_of_header(ValueId value) const {
    const Definition& definition = producers_.table().definition(value);
    const bool here = definition.kind == DefinitionKind::Step && definition.place.block == loop_.header;
    return here ? producers_.host_step(value) : nullptr;
  }

  [[nodiscard]] std::optional<std::int64_t> integer(ValueId value) const {
    const std::optional<Scalar> scalar = producers_.scalar(value);
    if (!scalar || !std::holds_alternative<std::int64_t>(*scalar)) return std::nullopt;
    return std::get<std::int64_t>(*scalar);
  }

  // What `argument` adds to the counter.
  [[nodiscard]] std::optional<std::int64_t> step_of(ValueId argument, ValueId counter) const {
    const HostStep* add = producers_.host_step(argument, HostOp::Add);
    if (add == nullptr) return std::nullopt;
    if (add->inputs[0] == counter) return integer(add->inputs[1]);
    return add->inputs[1] == counter ? integer(add->inputs[0]) : std::nullopt;
  }

  // The counter's known start (from outside) or step (from inside) if all such edges agree.
  [[nodiscard]] std::optional<std::int64_t> agreed(ValueId counter, std::size_t index,
                                                   bool from_inside) const {
    std::optional<std::int64_t> common;
    for (const EdgeId& edge : flow_.predecessors[loop_.header.index()]) {
      if (!flow_.reachable(edge.from) || contains(edge.from) != from_inside) continue;
      const ValueId argument = edge_of(graph_, edge).arguments[index];
      const std::optional<std::int64_t> number = from_inside ? step_of(argument, counter) : integer(argument);
      if (!number || (common && *common != *number)) return std::nullopt;
      common = number;
    }
    return common;
  }

  [[nodiscard]] std::optional<std::int64_t> trips_of(const HostStep& test) const {
    const std::vector<ValueId>& parameters = header().parameters;
    const auto found = std::ranges::find(parameters, test.inputs[0]);
    const std::optional<std::int64_t> limit = integer(test.inputs[1]);
    if (found == parameters.end() || !limit) return std::nullopt;
    const auto index = static_cast<std::size_t>(found - parameters.begin());
    const std::optional<std::int64_t> start = agreed(*found, index, false);
    const std::optional<std::int64_t> step = agreed(*found, index, true);
    if (!start || !step || *step <= 0) return std::nullopt;
    return count(*start, *step, *limit, test.op == HostOp::Le);
  }

  // How many of start, start+step, … pass the test; nullopt if the counter would leave 64 bits.
  static std::optional<std::int64_t> count(std::int64_t start, std::int64_t step, std::int64_t limit,
                                           bool inclusive) {
    using Wide = __int128;
    const Wide distance = static_cast<Wide>(limit) - start + (inclusive ? 1 : 0);
    const Wide trips = distance <= 0 ? 0 : (distance + step - 1) / step;
    if (start + trips * step > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    return static_cast<std::int64_t>(trips);
  }

  const Hcfg& graph_;
  const ControlFlow& flow_;
  const Producers& producers_;
  const Loop& loop_;
};

}  // namespace

std::optional<CountedLoop> counted_loop(const Hcfg& graph, const ControlFlow& flow,
                                        const Producers& producers, const Loop& loop) {
  return CounterSearch(graph, flow, producers, loop).find();
}

}  // namespace dycl::optimize
