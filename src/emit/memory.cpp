// SPDX-License-Identifier: Apache-2.0
#include "emit/memory.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <set>

#include "emit/slots.h"

namespace dycl::emit {
namespace {

constexpr std::size_t kAlignment = 64;

// Returns what a tensor of known size takes in the arena, where everything begins at a multiple of 64.
std::size_t rounded_bytes(const TensorType& type) {
  return (bytes_of(type) + kAlignment - 1) / kAlignment * kAlignment;
}

using SlotSet = std::set<SlotIndex>;

// Slots that pass values on to each other.
class Webs {
 public:
  explicit Webs(const HostPlan& plan) : parent_(plan.slots.size()) {
    std::iota(parent_.begin(), parent_.end(), 0U);
    for (const PlanInstruction& instruction : plan.code) join_in(plan, instruction.operation);
  }

  SlotIndex root(SlotIndex slot) {
    while (parent_[slot] != slot) slot = parent_[slot] = parent_[parent_[slot]];
    return slot;
  }

 private:
  void join(SlotIndex one, SlotIndex other) { parent_[root(one)] = root(other); }

  void join_in(const HostPlan& plan, const PlanOperation& operation) {
    for (const LabelledEdge& way : edges_of(operation))
      for (const PlanMove& move : way.edge->moves) join(move.from, move.to);
    const auto* host = std::get_if<PlanHost>(&operation);
    if (host != nullptr && hands_on(host->op))
      for (const SlotIndex input : host->inputs)
        if (!is_number(plan, input) && !is_number(plan, host->outputs[0]) && !tells_sizes(*host, input))
          join(input, host->outputs[0]);
    const auto* result = std::get_if<PlanReturn>(&operation);
    if (result == nullptr) return;
    for (std::size_t index = 0; index < result->writes.size(); ++index) {
      const PlanPort& port = plan.inputs[result->writes[index]];
      if (port.is_state()) join(result->values[result->result_count() + index], port.slot);
    }
  }

  // The result has the memory of an operand, or holds it.
  static bool hands_on(HostOp op) {
    const HostOpFamily family = family_of(op);
    return family == HostOpFamily::Sequence || family == HostOpFamily::Optional || op == HostOp::View ||
           op == HostOp::Row;
  }
  static bool tells_sizes(const PlanHost& host, SlotIndex input) {
    return host.op == HostOp::SeqSplit && host.inputs.size() > 1 && host.inputs[1] == input;
  }
  static bool is_number(const HostPlan& plan, SlotIndex slot) { return plan.slots[slot].scalar() != nullptr; }

  std::vector<SlotIndex> parent_;
};

class MemoryPlanner {
 public:
  MemoryPlanner(const HostPlan& plan, const PlanFlow& flow) : plan_(plan), flow_(flow) {
    number_webs();
    beside_.resize(result_.webs.size());
  }

  MemoryPlan run() {
    walk_blocks();
    place();
    return std::move(result_);
  }

 private:
  void number_webs() {
    Webs webs(plan_);
    result_.web_of_slot.assign(plan_.slots.size(), kNoWeb);
    std::map<SlotIndex, WebIndex> numbers;
    for (SlotIndex slot = 0; slot < plan_.slots.size(); ++slot) {
      const Type& type = plan_.slots[slot];
      if (type.scalar() != nullptr) continue;
      const auto [entry, added] =
          numbers.emplace(webs.root(slot), static_cast<WebIndex>(result_.webs.size()));
      if (added) result_.webs.emplace_back();
      result_.web_of_slot[slot] = entry->second;
      Web& web = result_.webs[entry->second];
      web.is_fixed = web.is_fixed && has_known_sizes(type);
      if (web.is_fixed) web.bytes = std::max({web.bytes, kAlignment, rounded_bytes(*type.tensor())});
    }
    for (const PlanPort& port : plan_.inputs)
      if (plan_.slots[port.slot].tensor() != nullptr && !port.is_state())
        result_.webs[result_.web_of_slot[port.slot]].borrows = true;
  }

  // Each block comes behind those that lead to it, but for the ways back of loops: what is alive there was
  // alive when the loop began.
  void walk_blocks() {
    std::vector<std::optional<SlotSet>> alive_at(flow_.blocks.size());
    SlotSet& first = alive_at[0].emplace();
    for (const PlanPort& port : plan_.inputs)
      if (is_fixed(port.slot)) first.insert(port.slot);
    for (const BlockId block : flow_.flow.order) {
      SlotSet alive = std::move(*alive_at[block.index()]);
      const PlanRange range = flow_.blocks[block.index()];
      for (std::uint32_t at = range.begin; at < range.end; ++at) step(at, alive);
      const std::vector<SlotIndex>& dead = plan_.code[range.end - 1].dead;
      const auto& targets = flow_.flow.successors[block.index()];
      const auto& edges = flow_.edges[block.index()];
      for (std::size_t index = 0; index < targets.size(); ++index)
        meet(alive_at[targets[index].index()],
             index < edges.size() ? after_edge(alive, *edges[index], dead) : alive);
    }
  }

  static void meet(std::optional<SlotSet>& known, SlotSet arriving) {
    if (!known) {
      known = std::move(arriving);
      return;
    }
    std::erase_if(*known, [&](SlotIndex slot) { return !arriving.contains(slot); });
  }

  [[nodiscard]] SlotSet after_edge(SlotSet alive, const PlanEdge& edge,
                                   const std::vector<SlotIndex>& dead_before) const {
    for (const SlotIndex slot : dead_before) alive.erase(slot);
    for (const SlotIndex slot : edge.dead) alive.erase(slot);
    for (const PlanMove& move : edge.moves)
      if (is_fixed(move.to)) alive.insert(move.to);
    return alive;
  }

  void step(std::uint32_t at, SlotSet& alive) {
    const PlanInstruction& instruction = plan_.code[at];
    if (const auto* call = std::get_if<PlanCall>(&instruction.operation)) {
      for (const SlotIndex slot : call->outputs)
        if (is_fixed(slot)) make(at, slot, alive);
      release(instruction.dead, alive);
    } else if (const auto* host = std::get_if<PlanHost>(&instruction.operation)) {
      for (const SlotIndex slot : host->outputs) {
        if (!is_fixed(slot)) continue;
        if (host->op == HostOp::ToTensor)
          make(at, slot, alive);
        else
          alive.insert(slot);
      }
      release(instruction.dead, alive);
    } else if (const auto* result = std::get_if<PlanReturn>(&instruction.operation)) {
      for (const SlotIndex slot : result->values)
        if (is_fixed(slot) && result_.web_of(slot).borrows) make(at, slot, alive);
    }
  }

  static void release(const std::vector<SlotIndex>& dead, SlotSet& alive) {
    for (const SlotIndex slot : dead) alive.erase(slot);
  }

  // A state is alive at all times: the session keeps it if the run fails.
  void make(std::uint32_t at, SlotIndex slot, SlotSet& alive) {
    alive.erase(slot);
    Making making{slot, {}};
    for (const SlotIndex other : alive) add_beside(making, other);
    for (const PlanPort& port : plan_.inputs)
      if (port.is_state() && is_fixed(port.slot) && !alive.contains(port.slot)) add_beside(making, port.slot);
    Web& web = result_.webs[result_.web_of_slot[slot]];
    web.offsets.resize(std::max(web.offsets.size(), making.avoided.size() + 1));
    result_.makings[at].push_back(std::move(making));
    alive.insert(slot);
  }

  void add_beside(Making& making, SlotIndex other) {
    const WebIndex web = result_.web_of_slot[making.slot];
    const WebIndex beside = result_.web_of_slot[other];
    if (web == beside) {
      making.avoided.push_back(other);
    } else {
      beside_[web].insert(beside);
      beside_[beside].insert(web);
    }
  }

  // The largest first, each at the lowest place where nothing lies that is alive at the same time.
  void place() {
    std::vector<WebIndex> order(result_.webs.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::greater(), [&](WebIndex web) { return result_.webs[web].bytes; });
    std::vector<bool> placed(order.size(), false);
    for (const WebIndex index : order) {
      std::vector<Interval> occupied;
      for (const WebIndex other : beside_[index])
        if (placed[other]) add_intervals(result_.webs[other], occupied);
      Web& web = result_.webs[index];
      for (std::size_t& offset : web.offsets) {
        offset = lowest_gap(occupied, web.bytes);
        occupied.push_back({offset, offset + web.bytes});
        result_.arena_bytes = std::max(result_.arena_bytes, offset + web.bytes);
      }
      placed[index] = true;
    }
  }

  struct Interval {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  static void add_intervals(const Web& web, std::vector<Interval>& intervals) {
    for (const std::size_t offset : web.offsets) intervals.push_back({offset, offset + web.bytes});
  }

  static std::size_t lowest_gap(std::vector<Interval>& occupied, std::size_t bytes) {
    std::ranges::sort(occupied, {}, &Interval::begin);
    std::size_t place = 0;
    for (const Interval& interval : occupied) {
      if (interval.begin >= place + bytes) break;
      place = std::max(place, interval.end);
    }
    return place;
  }

  [[nodiscard]] bool is_fixed(SlotIndex slot) const { return result_.is_fixed(slot); }

  const HostPlan& plan_;
  const PlanFlow& flow_;
  std::vector<std::set<WebIndex>> beside_;  // by web: those that are alive at the same time
  MemoryPlan result_;
};

}  // namespace

MemoryPlan plan_memory(const HostPlan& plan, const PlanFlow& flow) { return MemoryPlanner(plan, flow).run(); }

}  // namespace dycl::emit
