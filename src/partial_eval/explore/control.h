// SPDX-License-Identifier: Apache-2.0
// Control flow of the machine: which state runs next, where it goes, where states wait for others.
#pragma once

#include <map>
#include <vector>

#include "partial_eval/explore/position.h"
#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// Pops the smallest position, lets all states waiting there meet, runs each survivor to the next place
// where others may join it.
class Exploration {
 public:
  explicit Exploration(Machine& machine) : machine_(machine) {}

  void start(State entry) { ready_.push_back(std::move(entry)); }
  void explore();

 private:
  using Waiting = std::map<Position, std::vector<State>>;

  // A loop of which one trip is explored: states that come back to its header are held. Where they differ
  // too much from the header state, they enter the loop anew, as a variant of it inside of this trip.
  struct OpenLoop {
    Position prefix;  // of every position in it
    std::uint32_t trip = 0;
    const State* entry = nullptr;
    const State* header = nullptr;
    std::vector<State> back;
  };
  // How a loop was seen to end, or not to.
  struct Exits {
    std::optional<std::uint32_t> left;   // the last trip that some path left
    bool bounded = false;                // something known decides whether it goes on
    bool counted = false;                // and that is an iterator, which ends
    bool open = false;                   // it has an iterator whose end depends on the input
    std::optional<std::uint64_t> begun;  // how many trips all loops had made before its second one
  };

  void run(State state);
  // One instruction or terminator; false: the state has ended, waits or has forked.
  bool step(State& state);
  bool follow(State& state);  // the same; throws Refused
  bool raise_python(State& state, nb::python_error& error);
  bool terminate(State& state, const program::Block& block);
  // Goes on behind what is refused, with an unknown value.
  bool pass_by(State& state, const Refused& refused);
  bool decide(State& state, const program::Branch& branch, const AbstractValue& value);
  bool fork(State& state, const program::Branch& branch, const ScalarValue& condition);
  bool advance(State& state, const program::ForNext& next);
  bool advance_dynamic(State& state, const program::ForNext& next, ObjectRef iterator);
  bool settle(State& state, Outcome outcome);
  bool complete(State& state, AbstractValue result);
  bool enter(State& state, program::BlockId target);
  bool unwind(State& state, const AbstractValue& exception);
  bool returned(State& state, AbstractValue value);
  bool yielded(State& state, AbstractValue value);
  bool yields_within_bounds(const State& state);
  bool generator_ended(State& state, const Frame& frame, AbstractValue value);
  void check_loop(State& state, program::BlockId header);
  bool wait_if_needed(State& state);
  void wait(State state);
  Waiting::iterator next_waiting();
  [[nodiscard]] bool inside_open_loop(const Position& position) const;
  void note_exits(const State& state, program::BlockId target);
  // What is known decides for `taken`.
  void note_bound(const State& state, program::BlockId taken, program::BlockId other, bool by_iterator);

  // cycles.cpp
  // How often the loop that the state heads is open.
  [[nodiscard]] std::size_t open_variants(const State& state);
  // The state came back to the header of the innermost open loop: done with.
  bool held(State& state);
  // The state enters a loop that is to become a cycle of the HCFG: done with, its exits wait.
  bool rolled(State& state);
  void roll(State entry, const std::string& obstacle);
  void find_cycle(State& entry);
  std::vector<State> trip(const State& entry, const State& header);
  // The loop cannot be a cycle, since this must be known in each trip.
  [[noreturn]] void give_up(const State& entry, const std::string& obstacle);

  struct Visit {
    State state;
    std::uint64_t forks = 0;
  };

  Machine& machine_;
  Positions positions_;
  Waiting waiting_;
  std::vector<State> ready_;
  std::vector<OpenLoop> open_loops_;       // innermost last
  std::map<Position, Visit> last_visits_;  // of loop headers
  std::map<Position, Exits> exits_;
  std::uint64_t forks_ = 0;
  std::uint64_t trips_ = 0;  // of all loops
  std::size_t steps_behind_obstacle_ = 0;
};

// Explores every path from the entries to its end. Throws Refused or Restart.
void explore(Machine& machine, std::vector<State> entries);

}  // namespace dycl::partial_eval
