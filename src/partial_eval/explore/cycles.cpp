// SPDX-License-Identifier: Apache-2.0
// Loops whose number of trips depends on the input: one trip is explored from a header state that holds
// for all trips, found by joining the state that enters with those that come back until nothing changes.
#include "partial_eval/explore/control.h"

#include <algorithm>

#include "partial_eval/explore/join.h"
#include "partial_eval/explore/meeting.h"
#include "partial_eval/explore/position.h"
#include "partial_eval/language/generators.h"
#include "partial_eval/values/live_state.h"

namespace dycl::partial_eval {
namespace {

// Variants of one loop inside of each other: kinds that variables take before they stay as they are.
constexpr std::size_t kVariantLimit = 8;
constexpr int kRoundLimit = 64;

// What a trip adds to the machine and another round must not see.
class Checkpoint {
 public:
  explicit Checkpoint(Machine& machine)
      : machine_(machine),
        blocks_(machine.emitter.graph.blocks.size()),
        decisions_(machine.found.decisions.size()),
        facts_(machine.found.facts.size()),
        raises_(machine.found.raises.size()),
        returns_(machine.found.returns),
        warnings_(machine.found.warnings.size()),
        left_written_(machine.across_calls.left_written),
        grown_(machine.across_calls.grown),
        has_grown_(machine.across_calls.has_grown) {}

  // Values stay, without a definition: ids of later rounds are never ids of earlier ones.
  void roll_back() const {
    machine_.emitter.graph.blocks.resize(blocks_);
    machine_.found.decisions.resize(decisions_);
    machine_.found.facts.resize(facts_);
    machine_.found.raises.resize(raises_);
    machine_.found.returns = returns_;
    machine_.found.warnings.resize(warnings_);
    machine_.across_calls.left_written = left_written_;
    machine_.across_calls.grown = grown_;
    machine_.across_calls.has_grown = has_grown_;
  }

 private:
  Machine& machine_;
  std::size_t blocks_, decisions_, facts_, raises_, returns_, warnings_;
  std::map<AttributeKey, LeftWritten> left_written_;
  std::vector<State> grown_;
  bool has_grown_;
};

// The header state, its block's parameters in the order of the walk that found them.
struct Header {
  State state;
  std::vector<ValueId> parameters;
};

// Whether `joined`, made of the header state and the states that came back, says no less than it.
bool is_stable(Machine& machine, const Header& header, const State& header_side, const State& joined,
               const std::vector<JoinedValue>& values) {
  if (values.size() != header.parameters.size() || header_side.truths != joined.truths) return false;
  for (std::size_t index = 0; index < values.size(); ++index)
    if (id_of(header_side, values[index].sides[1]) != header.parameters[index]) return false;
  const JoinOptions options{.generalise = false, .same_iterations = false, .exact = true};
  return Join(machine, {&header_side, &joined}, options).run().has_value();
}

}  // namespace

std::size_t Exploration::open_variants(const State& state) {
  if (open_loops_.empty()) return 0;
  const Position prefix = positions_.of_innermost_loop(state);
  return static_cast<std::size_t>(std::ranges::count(open_loops_, prefix, &OpenLoop::prefix));
}

bool Exploration::held(State& state) {
  if (open_loops_.empty()) return false;
  const Position prefix = positions_.of_innermost_loop(state);
  if (open_loops_.back().prefix != prefix || open_loops_.back().trip == state.top().iterations.back())
    return false;
  std::string obstacle;
  for (auto loop = open_loops_.rbegin(); loop != open_loops_.rend() && loop->prefix == prefix; ++loop) {
    std::vector<State> states{*loop->entry, *loop->header, state};
    align(machine_, states);
    Join join(machine_, pointers_to(states), {.same_iterations = false});
    if (join.run()) {
      loop->back.push_back(std::move(state));
      return true;
    }
    if (obstacle.empty()) obstacle = join.obstacle;
  }
  roll(std::move(state), obstacle);
  return true;
}

bool Exploration::rolled(State& state) {
  const LoopPlace place = place_of(state);
  if (!machine_.marks.cycles.contains(place) || machine_.marks.unrolled.contains(place)) return false;
  if (open_variants(state) > 0) return false;
  roll(std::move(state), {});
  return true;
}

void Exploration::roll(State entry, const std::string& obstacle) {
  if (open_variants(entry) >= kVariantLimit) give_up(entry, obstacle);
  std::vector<State> outer = std::exchange(ready_, {});
  drop_dead(entry, [&](const GeneratorObject& generator) { refuse_abandoned(machine_, entry, generator); });
  find_cycle(entry);
  ready_ = std::move(outer);
}

void Exploration::give_up(const State& entry, const std::string& obstacle) {
  machine_.marks.unrolled.emplace(place_of(entry), obstacle);
  throw Restart{};
}

std::vector<State> Exploration::trip(const State& entry, const State& header) {
  open_loops_.push_back(
      {positions_.of_innermost_loop(header), header.top().iterations.back(), &entry, &header, {}});
  ready_.push_back(header);
  ++machine_.ownership.cycles;
  explore();
  --machine_.ownership.cycles;
  std::vector<State> back = std::move(open_loops_.back().back);
  open_loops_.pop_back();
  return back;
}

void Exploration::find_cycle(State& entry) {
  const Checkpoint before(machine_);
  std::vector<std::size_t> held_before;  // by the loops around
  for (const OpenLoop& loop : open_loops_) held_before.push_back(loop.back.size());
  const Waiting outer = std::exchange(waiting_, {});
  Header header{entry, {}};
  for (int round = 0; round < kRoundLimit; ++round) {
    header.state.block = machine_.emitter.new_block();
    machine_.emitter.graph.blocks[header.state.block.index()].parameters = header.parameters;
    std::vector<State> states{entry, header.state};
    for (State& state : trip(entry, header.state)) states.push_back(std::move(state));
    align(machine_, states);
    Join join(machine_, pointers_to(states), {.same_iterations = false, .commit = true});
    std::optional<State> joined = join.run();
    if (!joined) give_up(entry, join.obstacle);
    if (is_stable(machine_, header, states[1], *joined, join.values)) {
      states.erase(states.begin() + 1);
      for (JoinedValue& value : join.values) value.sides.erase(value.sides.begin() + 1);
      jump_all(machine_, states, join.values, header.state.block);
      for (const auto& [position, kept] : outer)
        waiting_[position].insert(waiting_[position].end(), kept.begin(), kept.end());
      return;
    }
    before.roll_back();
    waiting_.clear();
    for (std::size_t index = 0; index < open_loops_.size(); ++index)
      open_loops_[index].back.resize(held_before[index]);
    header.state = std::move(*joined);
    header.parameters.clear();
    for (const JoinedValue& value : join.values) header.parameters.push_back(value.parameter);
  }
  give_up(entry, {});
}

}  // namespace dycl::partial_eval
