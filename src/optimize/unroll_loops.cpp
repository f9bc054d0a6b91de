// SPDX-License-Identifier: Apache-2.0
#include "optimize/unroll_loops.h"

#include <algorithm>
#include <array>

#include "optimize/clone_blocks.h"
#include "optimize/counted_loop.h"
#include "optimize/edit.h"
#include "optimize/loop_exits.h"
#include "optimize/replacements.h"

namespace dycl::optimize {
namespace {

// Steps of these operations are mostly about the counter and fold away. All others count as work.
constexpr std::array kOfCounters{HostOp::Const, HostOp::Add, HostOp::Sub, HostOp::Mul, HostOp::Lt, HostOp::Le,
                                 HostOp::Eq,    HostOp::Ne,  HostOp::And, HostOp::Or,  HostOp::Not};

bool is_work(const HostStep& step) { return std::ranges::find(kOfCounters, step.op) == kOfCounters.end(); }

std::size_t work_in(const Hcfg& graph, const Loop& loop) {
  std::size_t work = 0;
  for (const BlockId block : loop.blocks)
    for (const Step& step : graph.blocks[block.index()].steps) {
      if (const auto* subnet = std::get_if<SubnetStep>(&step))
        work += subnet->ops.size();
      else
        work += is_work(std::get<HostStep>(step)) ? 1 : 0;
    }
  return work;
}

bool is_small(const Hcfg& graph, const CountedLoop& counted, const PassContext& context) {
  if (counted.trips > context.unroll_trips) return false;
  const auto trips = static_cast<std::size_t>(counted.trips);
  const std::size_t size = std::max(work_in(graph, counted.loop), counted.loop.blocks.size());
  return trips * size <= context.unroll_operations;
}

// Innermost first, and none that contains another one: that is left for the next round.
std::vector<CountedLoop> choose_loops(const Hcfg& graph, const ControlFlow& flow,
                                      const std::vector<Loop>& loops, const PassContext& context) {
  const Producers producers(graph);
  std::vector<bool> taken(graph.blocks.size());
  std::vector<CountedLoop> chosen;
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    if (std::ranges::any_of(loop->blocks, [&](BlockId block) { return taken[block.index()]; })) continue;
    const std::optional<CountedLoop> counted = counted_loop(graph, flow, producers, *loop);
    if (!counted || !is_small(graph, *counted, context)) continue;
    for (const BlockId block : loop->blocks) taken[block.index()] = true;
    chosen.push_back(*counted);
  }
  return chosen;
}

// The step that defines the test becomes a constant.
void settle_test(Hcfg& graph, BlockId header, ValueId test, bool outcome) {
  for (Step& step : graph.blocks[header.index()].steps)
    if (auto* host = std::get_if<HostStep>(&step); host != nullptr && host->outputs == std::vector{test})
      *host = const_step(Scalar(outcome), test, host->source);
}

void redirect_back_edges(Hcfg& graph, const std::vector<BlockId>& blocks, BlockId header, BlockId next) {
  for (const BlockId block : blocks)
    for_each_edge(graph.blocks[block.index()].terminator, [&](Edge& edge) {
      if (edge.target == header) edge.target = next;
    });
}

// The loop itself becomes the first trip, each copy the next one. The last copy's test is false, so its
// body, and with it the only way back, is dead.
void unroll(Hcfg& graph, const CountedLoop& counted, const std::vector<SymbolId>& symbols) {
  std::vector<Clone> trips;
  for (std::int64_t trip = 0; trip < counted.trips; ++trip)
    trips.push_back(clone_blocks(graph, counted.loop.blocks, symbols));
  std::vector<BlockId> blocks = counted.loop.blocks;
  BlockId header = counted.loop.header;
  ValueId test = counted.test;
  for (const Clone& next : trips) {
    settle_test(graph, header, test, true);
    redirect_back_edges(graph, blocks, header, next.blocks.at(counted.loop.header));
    header = next.blocks.at(counted.loop.header);
    test = next.values.at(counted.test);
    for (std::size_t index = 0; index < blocks.size(); ++index)
      blocks[index] = next.blocks.at(counted.loop.blocks[index]);
  }
  settle_test(graph, header, test, false);
}

// Per loop, the symbols that its blocks bind.
std::vector<std::vector<SymbolId>> bound_symbols(const Hcfg& graph, const std::vector<CountedLoop>& loops) {
  const UseTable table = use_table(graph);
  std::vector<std::size_t> owner(graph.blocks.size(), loops.size());
  for (std::size_t index = 0; index < loops.size(); ++index)
    for (const BlockId block : loops[index].loop.blocks) owner[block.index()] = index;
  const std::vector<ValueId> binders = symbol_binders(graph, control_flow(graph));
  std::vector<std::vector<SymbolId>> symbols(loops.size());
  for (std::size_t index = 0; index < binders.size(); ++index) {
    if (!binders[index].valid()) continue;
    const Definition& definition = table.definition(binders[index]);
    if (definition.kind != DefinitionKind::Parameter && definition.kind != DefinitionKind::Step) continue;
    const std::size_t loop = owner[definition.place.block.index()];
    if (loop < loops.size()) symbols[loop].emplace_back(index);
  }
  return symbols;
}

}  // namespace

Result<Hcfg> unroll_loops(Hcfg graph, const PassContext& context) {
  const ControlFlow flow = control_flow(graph);
  const DominatorTree dominators(flow);
  const std::vector<CountedLoop> chosen = choose_loops(graph, flow, find_loops(flow, dominators), context);
  if (chosen.empty()) return graph;
  std::vector<Loop> loops;
  for (const CountedLoop& counted : chosen) loops.push_back(counted.loop);
  const std::vector<bool> closed = close_loops(graph, flow, dominators, use_table(graph), loops);
  const std::vector<std::vector<SymbolId>> symbols = bound_symbols(graph, chosen);
  for (std::size_t index = 0; index < chosen.size(); ++index)
    if (closed[index]) unroll(graph, chosen[index], symbols[index]);
  return graph;
}

}  // namespace dycl::optimize
