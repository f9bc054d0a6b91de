// SPDX-License-Identifier: Apache-2.0
// Loops whose number of trips depends on the input: one trip is explored from a header state that holds
// for all trips, found by joining the state that enters with those that come back until nothing changes.
#include <algorithm>

#include "partial_eval/control.h"
#include "partial_eval/join.h"

namespace dycl::partial_eval {
namespace {

// Trips that are unrolled before a loop's variables must have found their kinds.
constexpr int kPeelLimit = 3;
constexpr int kRoundLimit = 64;

// What a trip adds to the machine and another round must not see.
class Checkpoint {
 public:
  explicit Checkpoint(Machine& machine)
      : machine_(machine),
        blocks_(machine.emitter.graph.blocks.size()),
        decisions_(machine.decisions.size()),
        warnings_(machine.warnings.size()),
        left_written_(machine.left_written) {}

  // Values stay, without a definition: ids of later rounds are never ids of earlier ones.
  void roll_back() const {
    machine_.emitter.graph.blocks.resize(blocks_);
    machine_.decisions.resize(decisions_);
    machine_.warnings.resize(warnings_);
    machine_.left_written = left_written_;
  }

 private:
  Machine& machine_;
  std::size_t blocks_, decisions_, warnings_;
  std::map<Machine::AttributeKey, nb::object> left_written_;
};

std::optional<ValueId> id_of(const State& state, const AbstractValue& side) {
  if (side.scalar() != nullptr) return side.scalar()->id;
  if (const auto* tensor = state.heap.get<TensorObject>(side)) return tensor->value;
  if (const auto* sequence = state.heap.get<SequenceObject>(side)) return sequence->value;
  return std::nullopt;
}

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
  JoinOptions options;
  options.generalise = false;
  options.same_iterations = false;
  options.exact = true;
  return Join(machine, {&header_side, &joined}, options).run().has_value();
}

}  // namespace

bool Exploration::is_open(const State& state) {
  if (open_loops_.empty()) return false;
  const Position prefix = positions_.of_loop(state, state.top().iterations.size() - 1);
  return std::any_of(open_loops_.begin(), open_loops_.end(),
                     [&](const OpenLoop& loop) { return loop.prefix == prefix; });
}

bool Exploration::held(State& state) {
  if (open_loops_.empty()) return false;
  OpenLoop& loop = open_loops_.back();
  const std::size_t depth = state.top().iterations.size() - 1;
  if (state.top().iterations[depth] == loop.trip) return false;
  if (positions_.of_loop(state, depth) != loop.prefix) return false;
  loop.back.push_back(std::move(state));
  return true;
}

std::vector<State> Exploration::trip(State header) {
  const std::size_t depth = header.top().iterations.size() - 1;
  open_loops_.push_back({positions_.of_loop(header, depth), header.top().iterations[depth], {}});
  std::vector<State> outer = std::exchange(ready_, {});
  ready_.push_back(std::move(header));
  explore();
  ready_ = std::move(outer);
  std::vector<State> back = std::move(open_loops_.back().back);
  open_loops_.pop_back();
  return back;
}

bool Exploration::find_cycle(State& entry, std::string& obstacle) {
  const Checkpoint before(machine_);
  const Waiting outer = std::exchange(waiting_, {});
  Header header{entry, {}};
  for (int round = 0; round < kRoundLimit; ++round) {
    waiting_ = {};
    header.state.block = machine_.emitter.new_block();
    machine_.emitter.graph.blocks[header.state.block.index()].parameters = header.parameters;
    std::vector<State> states{entry, header.state};
    for (State& state : trip(header.state)) states.push_back(std::move(state));
    align(machine_, states);
    JoinOptions options;
    options.commit = true;
    options.same_iterations = false;
    Join join(machine_, pointers_to(states), options);
    std::optional<State> joined = join.run();
    if (joined && is_stable(machine_, header, states[1], *joined, join.values)) {
      states.erase(states.begin() + 1);
      for (JoinedValue& value : join.values) value.sides.erase(value.sides.begin() + 1);
      jump_all(machine_, states, join.values, header.state.block);
      for (const auto& [position, kept] : outer)
        waiting_[position].insert(waiting_[position].end(), kept.begin(), kept.end());
      return true;
    }
    before.roll_back();
    if (!joined) {
      obstacle = join.obstacle;
      break;
    }
    header.state = std::move(*joined);
    header.parameters.clear();
    for (const JoinedValue& value : join.values) header.parameters.push_back(value.parameter);
  }
  waiting_ = outer;
  return false;
}

bool Exploration::rolled(State& state) {
  const LoopPlace place = place_of(state);
  Marks& marks = machine_.marks;
  if (!marks.cycles.contains(place) || marks.unrolled.contains(place)) return false;
  if (is_open(state)) return false;
  const std::vector<State> outer = std::exchange(ready_, {});
  std::vector<State> entries;
  entries.push_back(std::move(state));
  for (int peeled = 0; !entries.empty(); ++peeled) {
    std::vector<State> later;
    for (State& entry : entries) {
      std::string obstacle;
      drop_dead(entry);
      if (find_cycle(entry, obstacle)) continue;
      if (peeled == kPeelLimit) {
        marks.unrolled.emplace(place, obstacle);
        wait(std::move(entry));
        continue;
      }
      for (State& next : trip(std::move(entry))) later.push_back(std::move(next));
    }
    entries = later.size() > 1 ? meet(machine_, std::move(later)) : std::move(later);
  }
  ready_ = outer;
  return true;
}

}  // namespace dycl::partial_eval
