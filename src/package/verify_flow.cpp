// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>

#include "base/overloaded.h"
#include "package/error.h"
#include "package/limits.h"
#include "package/verify_plan.h"

namespace dycl {
namespace {

using SlotSet = std::vector<SlotIndex>;  // sorted; only what is live, so it stays small

// Forward analysis: which slots surely hold a value when control reaches an instruction. Sets meet by
// intersection where control joins, so they only shrink and the walk ends.
class FlowVerifier {
 public:
  explicit FlowVerifier(const HostPlan& plan) : plan_(plan), is_constant_(plan.slots.size(), false) {
    for (const PlanConstant& constant : plan.constants) is_constant_[constant.slot] = true;
  }

  Status run() {
    SlotSet inputs;
    for (const PlanPort& input : plan_.inputs) inputs.push_back(input.slot);
    std::ranges::sort(inputs);
    arrive(0, std::move(inputs));
    while (!pending_.empty()) {
      const std::uint32_t start = pending_.back();
      pending_.pop_back();
      at_start_[start].queued = false;
      if (Status status = walk(start); !status) return status;
      if (work_ > limits::kFlowWork)
        return package_error("too_complex", "the program's control flow is too large to be checked");
    }
    return {};
  }

 private:
  struct Start {
    SlotSet full;
    bool queued = false;
  };

  void arrive(std::uint32_t target, SlotSet full) {
    const auto [entry, added] = at_start_.try_emplace(target);
    Start& start = entry->second;
    work_ += full.size() + start.full.size() + 1;
    if (added) {
      start.full = std::move(full);
    } else {
      SlotSet both;
      std::ranges::set_intersection(start.full, full, std::back_inserter(both));
      if (both.size() == start.full.size()) return;
      start.full = std::move(both);
    }
    if (!start.queued) pending_.push_back(target);
    start.queued = true;
  }

  // Follows straight-line code from `start` to where it transfers control. Another start on the way
  // is joined like a jump to it.
  Status walk(std::uint32_t start) {
    SlotSet full = at_start_[start].full;
    for (std::size_t at = start; at < plan_.code.size(); ++at) {
      if (at != start && at_start_.contains(static_cast<std::uint32_t>(at))) {
        arrive(static_cast<std::uint32_t>(at), std::move(full));
        return {};
      }
      work_ += 1;
      const PlanInstruction& instruction = plan_.code[at];
      const SlotIndex missing = first_empty(instruction.operation, full);
      if (missing != kNone)
        return package_error(
            "bad_plan", fmt::format("instruction {}: slot {} may be empty when it is read", at, missing));
      if (step(instruction, full)) return edge_problem_;
    }
    return {};
  }

  static constexpr SlotIndex kNone = 0xffffffff;

  [[nodiscard]] bool holds(const SlotSet& full, SlotIndex slot) const {
    return is_constant_[slot] || std::ranges::binary_search(full, slot);
  }
  [[nodiscard]] SlotIndex first_empty(const SlotSet& reads, const SlotSet& full) const {
    for (const SlotIndex slot : reads)
      if (!holds(full, slot)) return slot;
    return kNone;
  }
  [[nodiscard]] SlotIndex first_empty(const PlanOperation& operation, const SlotSet& full) const {
    return std::visit(Overloaded{
                          [&](const PlanCall& call) { return first_empty(call.inputs, full); },
                          [&](const PlanHost& host) { return first_empty(host.inputs, full); },
                          [&](const PlanJump&) { return kNone; },
                          [&](const PlanBranch& branch) { return first_empty({branch.condition}, full); },
                          [&](const PlanSwitch& choice) { return first_empty({choice.index}, full); },
                          [&](const PlanReturn& result) { return first_empty(result.values, full); },
                          [&](const PlanRaise& raise) { return first_empty(raise.scalars, full); },
                      },
                      operation);
  }

  void insert(SlotSet& full, SlotIndex slot) {
    const auto place = std::ranges::lower_bound(full, slot);
    work_ += static_cast<std::uint64_t>(full.end() - place) / 16 + 1;
    if (place == full.end() || *place != slot) full.insert(place, slot);
  }
  void erase(SlotSet& full, SlotIndex slot) {
    const auto place = std::ranges::lower_bound(full, slot);
    work_ += static_cast<std::uint64_t>(full.end() - place) / 16 + 1;
    if (place != full.end() && *place == slot) full.erase(place);
  }

  // True when control was transferred.
  bool step(const PlanInstruction& instruction, SlotSet& full) {
    const auto write = [&](const std::vector<SlotIndex>& outputs) {
      for (const SlotIndex slot : outputs) insert(full, slot);
      for (const SlotIndex slot : instruction.dead) erase(full, slot);
      return false;
    };
    const auto follow = [&](std::span<const PlanEdge* const> edges) {
      // A terminator's own dead list takes effect on every edge, after its moves are read.
      for (const PlanEdge* edge : edges) take_edge(*edge, instruction.dead, full);
      return true;
    };
    return std::visit(Overloaded{
                          [&](const PlanCall& call) { return write(call.outputs); },
                          [&](const PlanHost& host) { return write(host.outputs); },
                          [&](const PlanJump& jump) { return follow(std::array{&jump.edge}); },
                          [&](const PlanBranch& branch) {
                            return follow(std::array{&branch.then_edge, &branch.else_edge});
                          },
                          [&](const PlanSwitch& choice) {
                            std::vector<const PlanEdge*> edges{&choice.fallback};
                            for (const PlanEdge& edge : choice.cases) edges.push_back(&edge);
                            return follow(edges);
                          },
                          [&](const PlanReturn&) { return true; },
                          [&](const PlanRaise&) { return true; },
                      },
                      instruction.operation);
  }

  void take_edge(const PlanEdge& edge, const std::vector<SlotIndex>& dead, SlotSet full) {
    if (!edge_problem_ || work_ > limits::kFlowWork) return;
    work_ += full.size() / 16 + 1;
    for (const PlanMove& move : edge.moves)
      if (!holds(full, move.from))
        edge_problem_ = package_error(
            "bad_plan", fmt::format("an edge to instruction {} moves slot {}, which may be empty",
                                    edge.target, move.from));
    for (const SlotIndex slot : dead) erase(full, slot);
    for (const PlanMove& move : edge.moves) insert(full, move.to);
    for (const SlotIndex slot : edge.dead) erase(full, slot);
    arrive(edge.target, std::move(full));
  }

  const HostPlan& plan_;
  std::vector<bool> is_constant_;
  std::unordered_map<std::uint32_t, Start> at_start_;
  std::vector<std::uint32_t> pending_;
  Status edge_problem_;
  std::uint64_t work_ = 0;
};

}  // namespace

Status verify_flow(const HostPlan& plan) { return FlowVerifier(plan).run(); }

}  // namespace dycl
