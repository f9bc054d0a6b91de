// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/explore/control.h"

#include <fmt/format.h>
#include <algorithm>
#include <stdexcept>

#include "base/overloaded.h"
#include "partial_eval/border/leaving.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/sizes.h"
#include "partial_eval/data/types.h"
#include "partial_eval/explore/meeting.h"
#include "partial_eval/explore/obstacles.h"
#include "partial_eval/explore/position.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/conversions.h"
#include "partial_eval/language/exceptions.h"
#include "partial_eval/language/generators.h"
#include "partial_eval/language/instructions.h"
#include "partial_eval/language/iteration.h"
#include "partial_eval/language/operators.h"
#include "partial_eval/language/sequences.h"

namespace dycl::partial_eval {
namespace {

// A loop that only the input ends, and that cannot be a cycle, is given up after so many trips.
constexpr std::uint32_t kOpenLoopLimit = 1000;
// The same, of the trips that all loops within it make: those may be more in each trip.
constexpr std::uint64_t kOpenLoopWork = 20'000;

// A recursion this deep that branches on a number which each path would know is probably ended by it.
constexpr std::ptrdiff_t kOpenRecursionLimit = 8;

[[noreturn]] void refuse_open_loop(Machine& machine, State& state, const std::string& obstacle) {
  const program::Block& header = state.top().function->ir.block(state.top().block);
  state.edit_top().instruction = static_cast<std::uint32_t>(header.instructions.size());
  machine.refuse(
      state, "python.dynamic_trip_count",
      "how often this loop runs depends on the input" +
          (obstacle.empty() ? "" : ", and " + obstacle + " must be known at compile time in each trip"),
      "bound it by a number that is known at compile time, for example "
      "`for _ in range(limit): if done: break`");
}

// What is unknown may decide loops that never end.
constexpr std::size_t kMostStepsBehindObstacle = 200'000;

const program::Block& block_of(const State& state) {
  return state.top().function->ir.block(state.top().block);
}

bool is_deep_recursion(const State& state) {
  const auto is_same = [&](const auto& frame) { return frame->function == state.top().function; };
  return std::count_if(state.frames.begin(), state.frames.end(), is_same) > kOpenRecursionLimit;
}

}  // namespace

void Exploration::explore() {
  while (true) {
    if (ready_.empty()) {
      const auto next = next_waiting();
      if (next == waiting_.end()) return;
      auto first = waiting_.extract(next);
      ready_ = meet(machine_, std::move(first.mapped()));
    }
    State state = std::move(ready_.back());
    ready_.pop_back();
    run(std::move(state));
  }
}

void Exploration::run(State state) {
  do {
    const bool has_left =
        !open_loops_.empty() && state.frames.size() < open_loops_.back().header->frames.size();
    if (has_left) return wait(std::move(state));
    if (heads_loop(state.top()) && (held(state) || rolled(state))) return;
  } while (step(state));
}

bool Exploration::inside_open_loop(const Position& position) const {
  if (open_loops_.empty()) return true;
  const Position& prefix = open_loops_.back().prefix;
  return position.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), position.begin());
}

Exploration::Waiting::iterator Exploration::next_waiting() {
  if (open_loops_.empty()) return waiting_.begin();
  const auto next = waiting_.lower_bound(open_loops_.back().prefix);
  return next != waiting_.end() && inside_open_loop(next->first) ? next : waiting_.end();
}

void Exploration::wait(State state) {
  Position position = positions_.of(state);
  waiting_[std::move(position)].push_back(std::move(state));
}

bool Exploration::step(State& state) {
  if (!machine_.options.go_on) return follow(state);
  if (!machine_.found.obstacles.empty() && ++steps_behind_obstacle_ > kMostStepsBehindObstacle) return false;
  try {
    return follow(state);
  } catch (const Refused& refused) {
    return pass_by(state, refused);
  }
}

bool Exploration::pass_by(State& state, const Refused& refused) {
  if (!note_obstacle(machine_, state, refused.diagnostic)) return false;
  const program::Block& block = block_of(state);
  const std::uint32_t index = state.top().instruction;
  if (index < block.instructions.size()) {
    for (const program::RegisterId result : block.instructions[index].results)
      state.edit_top().registers[result.index()] = unknown_value(machine_, state);
    return complete(state, unknown_value(machine_, state));
  }
  if (const auto* next = std::get_if<program::ForNext>(&block.terminator)) return enter(state, next->exit);
  if (const auto* branch = std::get_if<program::Branch>(&block.terminator))
    return fork(state, *branch, unknown_scalar(machine_, state, ScalarKind::Bool));
  return false;
}

bool Exploration::raise_python(State& state, nb::python_error& error) {
  if (machine_.options.go_on && works_on_unknown(machine_, state))
    return complete(state, unknown_value(machine_, state));
  if (machine_.torch.is_own_failure(error)) machine_.refuse_failure(state, error);
  if (error.matches(PyExc_TypeError)) refuse_missed_conversion(machine_, state);
  return unwind(state, raised_by_python(error).exception);
}

bool Exploration::follow(State& state) {
  const program::Block& block = block_of(state);
  const std::uint32_t index = state.top().instruction;
  try {
    if (index >= block.instructions.size()) return terminate(state, block);
    const program::Instruction& instruction = block.instructions[index];
    if (instruction.op == program::Op::Yield)
      return yielded(state, operand_of(machine_, state, instruction, 0));
    Outcome outcome = execute(machine_, state, instruction);
    if (is_type_error(machine_, state, outcome)) refuse_missed_conversion(machine_, state);
    return settle(state, std::move(outcome));
  } catch (nb::python_error& error) {
    if (error.matches(PyExc_KeyboardInterrupt)) throw;
    return raise_python(state, error);
  } catch (const Split& split) {
    return settle(state, split_on(machine_, state, split.condition));
  } catch (const protocol::SizeSplit& split) {
    return settle(state, split_on_size(machine_, state, split));
  } catch (Restart& restart) {
    restart.stack = machine_.spans(state);
    throw;
  } catch (const ProtectedWrite&) {
    machine_.write_to_caller(state);
  } catch (const FrozenWrite& frozen) {
    refuse_frozen(machine_, state, frozen.origins, "python.write_to_element",
                  "an object is changed that lies, or may lie, in a list whose length depends on the path",
                  "change it before it is put into the list, or put a copy there");
  } catch (const std::overflow_error&) {
    machine_.refuse(state, "python.big_int", "a size that is computed here is beyond 64 bits",
                    "use sizes whose products fit into 64 bits");
  }
}

bool Exploration::settle(State& state, Outcome outcome) {
  if (auto* value = std::get_if<AbstractValue>(&outcome)) return complete(state, std::move(*value));
  if (std::holds_alternative<Pushed>(outcome)) return true;
  if (auto* raised = std::get_if<Raised>(&outcome)) {
    if (machine_.options.go_on && works_on_unknown(machine_, state))
      return complete(state, unknown_value(machine_, state));
    return unwind(state, raised->exception);
  }
  ++forks_;
  auto& children = std::get<Forked>(outcome).children;
  for (auto child = children.rbegin(); child != children.rend(); ++child) {
    const bool goes_on = child->raised   ? unwind(child->state, *child->raised)
                         : child->result ? complete(child->state, std::move(*child->result))
                                         : true;
    if (goes_on) ready_.push_back(std::move(child->state));
  }
  return false;
}

bool Exploration::complete(State& state, AbstractValue result) {
  const program::Block& block = block_of(state);
  Frame& frame = state.edit_top();
  const program::Instruction& instruction = block.instructions[frame.instruction];
  if (instruction.result.valid()) frame.registers[instruction.result.index()] = std::move(result);
  ++frame.instruction;
  frame.replaced.clear();
  return instruction.op != program::Op::Call || !wait_if_needed(state);
}

bool Exploration::wait_if_needed(State& state) {
  if (ready_.empty() && waiting_.empty() && open_loops_.empty()) return false;
  const Position position = positions_.of(state);
  const auto next = next_waiting();
  const bool is_next = ready_.empty() && (next == waiting_.end() || position < next->first);
  if (is_next && inside_open_loop(position)) return false;
  waiting_[position].push_back(std::move(state));
  return true;
}

bool Exploration::enter(State& state, program::BlockId target) {
  const bool again = is_back_edge(state.top(), target);
  note_exits(state, target);
  Frame& frame = state.edit_top();
  frame.iterations = iterations_at(frame, target);
  frame.block = target;
  frame.instruction = 0;
  frame.replaced.clear();
  const std::size_t loops_left = frame.iterations.size() - (again ? 1 : 0);
  const bool makes_trips = frame.resumed <= loops_left;
  frame.resumed = std::min(frame.resumed, loops_left);
  if (again && makes_trips && open_variants(state) == 0) check_loop(state, target);
  return !wait_if_needed(state);
}

void Exploration::note_exits(const State& state, program::BlockId target) {
  const auto& order = state.top().function->order;
  const auto& around = order.place(state.top().block).loops;
  const auto& kept = order.place(target).loops;
  for (std::size_t depth = 0; depth < around.size(); ++depth)
    if (depth >= kept.size() || kept[depth] != around[depth])
      exits_[positions_.of_loop(state, depth)].left = state.top().iterations[depth];
}

void Exploration::note_bound(const State& state, program::BlockId taken, program::BlockId other,
                             bool by_iterator) {
  const auto& order = state.top().function->order;
  const auto& kept = order.place(taken).loops;
  const auto& elsewhere = order.place(other).loops;
  for (std::size_t depth = 0; depth < kept.size(); ++depth)
    if (depth >= elsewhere.size() || elsewhere[depth] != kept[depth]) {
      Exits& exits = exits_[positions_.of_loop(state, depth)];
      exits.bounded = true;
      exits.counted = exits.counted || by_iterator;
    }
}

// Called when the trip before `state`'s has come back to the header.
void Exploration::check_loop(State& state, program::BlockId header) {
  const std::uint32_t trips = state.top().iterations.back();
  if (trips > machine_.options.unroll_limit)
    machine_.refuse(state, "python.unroll_limit",
                    "this loop makes more than " + std::to_string(machine_.options.unroll_limit) + " trips",
                    "raise unroll_limit, or check that the loop ends");
  const std::size_t depth = state.top().function->order.place(header).loops.size() - 1;
  Position loop = positions_.of_loop(state, depth);
  Exits& exits = exits_[loop];
  if (!exits.begun) exits.begun = trips_;
  ++trips_;
  const bool is_long = trips > kOpenLoopLimit || trips_ - *exits.begun > kOpenLoopWork;
  const auto last = last_visits_.find(loop);
  const bool forked = last != last_visits_.end() && last->second.forks != forks_;
  const bool may_leave = exits.left == trips - 1;
  const bool goes_on = exits.bounded
                           ? may_leave && trips >= machine_.options.roll_limit
                           : may_leave || (forked && same_statics(machine_, last->second.state, state));
  const LoopPlace place = place_of(state);
  const auto unrolled = machine_.marks.unrolled.find(place);
  if (unrolled != machine_.marks.unrolled.end()) {
    if ((!exits.bounded || exits.open) && is_long) refuse_open_loop(machine_, state, unrolled->second);
  } else if (goes_on) {
    throw Restart{{}, {}, place};
  }
  // What is known in each trip may follow from a decision of the input in that trip: next(iterator, None).
  if (forked && !exits.counted && trips > kOpenLoopLimit)
    machine_.refuse(state, "python.unroll_limit",
                    fmt::format("the input decides something in each of more than {} trips of this loop, "
                                "which no iterator counts{}",
                                kOpenLoopLimit,
                                unrolled == machine_.marks.unrolled.end() || unrolled->second.empty()
                                    ? ""
                                    : "; it is unrolled, since " + unrolled->second +
                                          " must be known at compile time in each trip"),
                    "write it as `for _ in range(limit)`, with a break");
  last_visits_.insert_or_assign(std::move(loop), Visit{state, forks_});
}

bool Exploration::terminate(State& state, const program::Block& block) {
  return std::visit(
      Overloaded{
          [&](const program::Jump& jump) { return enter(state, jump.target); },
          [&](const program::Branch& branch) {
            return decide(state, branch, read_register(machine_, state, branch.condition));
          },
          [&](const program::ForNext& next) { return advance(state, next); },
          [&](const program::Return& value) {
            return returned(state, read_register(machine_, state, value.value));
          },
          [&](const program::Raise& raise) {
            const AbstractValue cause =
                raise.cause.valid() ? read_register(machine_, state, raise.cause) : AbstractValue();
            Outcome raised =
                raise_value(machine_, state, read_register(machine_, state, raise.exception), cause);
            if (is_type_error(machine_, state, raised)) refuse_missed_conversion(machine_, state);
            return settle(state, std::move(raised));
          },
          [&](const program::Reraise& raise) {
            return unwind(state, read_register(machine_, state, raise.exception));
          },
          [&](const program::Unreachable&) -> bool { internal_error("unreachable block reached"); },
      },
      block.terminator);
}

bool Exploration::decide(State& state, const program::Branch& branch, const AbstractValue& value) {
  Outcome outcome = truth(machine_, state, value, OnReturn::Decide);
  const auto* decided = std::get_if<AbstractValue>(&outcome);
  if (decided == nullptr) return settle(state, std::move(outcome));
  if (const ScalarValue* scalar = decided->scalar()) return fork(state, branch, *scalar);
  const bool is_true = nb::cast<bool>(*decided->constant());
  const program::BlockId taken = is_true ? branch.then_target : branch.else_target;
  note_bound(state, taken, is_true ? branch.else_target : branch.then_target, false);
  return enter(state, taken);
}

bool Exploration::fork(State& state, const program::Branch& branch, const ScalarValue& condition) {
  if (condition.origins && is_deep_recursion(state)) throw Restart{*condition.origins};
  machine_.found.decisions.push_back({machine_.spans(state), "branch", "a branch on the host"});
  if (machine_.emitter.graph.blocks.size() > machine_.options.blocks_limit)
    machine_.refuse(
        state, "python.blocks_limit",
        "the graph has more than " + std::to_string(machine_.options.blocks_limit) + " blocks here",
        "raise blocks_limit, or keep what differs between paths in tensors");
  ++forks_;
  // Both ways, before either child enters one and asks how the loop ends.
  for (const program::BlockId target : {branch.then_target, branch.else_target}) note_exits(state, target);
  Forked forked = split_on(machine_, state, condition);
  for (std::size_t side = 0; side < 2; ++side) {
    State& child = forked.children[side].state;
    if (enter(child, side == 0 ? branch.then_target : branch.else_target)) wait(std::move(child));
  }
  return false;
}

bool Exploration::advance(State& state, const program::ForNext& next) {
  const AbstractValue iterator = read_register(machine_, state, next.iterator);
  const ObjectRef* ref = iterator.object();
  if (ref == nullptr) internal_error("an iterator that is not on the heap");
  if (const auto* generator = state.heap.get<GeneratorObject>(iterator)) {
    if (generator->finished) return enter(state, next.exit);
    Outcome resumed = resume(machine_, state, *ref, OnReturn::Advance, {});
    if (std::holds_alternative<Pushed>(resumed)) state.edit_top().resumed_at = forks_;
    return settle(state, std::move(resumed));
  }
  if (state.heap.get<IteratorObject>(iterator) == nullptr) {
    // An iterator of the user's: walked by a generator of the prelude from now on.
    Outcome walker = call_prelude(machine_, state, "iterate", {{iterator}, {}});
    state.edit_top().registers[next.iterator.index()] = std::get<AbstractValue>(walker);
    return true;
  }
  if (is_dynamic_iterator(state, *ref)) return advance_dynamic(state, next, *ref);
  const std::optional<AbstractValue> element = next_of(machine_, state, *ref);
  if (element && next.result.valid()) state.edit_top().registers[next.result.index()] = *element;
  if (!element && next.returned.valid()) state.edit_top().registers[next.returned.index()] = known_none();
  if (element) note_bound(state, next.body, next.exit, true);
  return enter(state, element ? next.body : next.exit);
}

// The loop goes on if there is one more element, which depends on the input.
bool Exploration::advance_dynamic(State& state, const program::ForNext& next, ObjectRef iterator) {
  machine_.found.decisions.push_back({machine_.spans(state), "loop", "a loop on the host"});
  ++forks_;
  for (const program::BlockId target : {next.body, next.exit}) note_exits(state, target);
  const std::size_t depth = state.top().iterations.size();
  if (depth > 0) exits_[positions_.of_loop(state, depth - 1)].open = true;
  Forked forked = split_next(machine_, state, iterator);
  for (Forked::Child& child : forked.children) {
    Frame& frame = child.state.edit_top();
    if (child.result && next.result.valid()) frame.registers[next.result.index()] = *child.result;
    if (!child.result && next.returned.valid()) frame.registers[next.returned.index()] = known_none();
    if (enter(child.state, child.result ? next.body : next.exit)) wait(std::move(child.state));
  }
  return false;
}

bool Exploration::unwind(State& state, const AbstractValue& exception) {
  AbstractValue current_exception = exception;
  machine_.note_raised(state, exception);
  while (!state.frames.empty()) {
    if (const auto& handler = block_of(state).handler) {
      state.edit_top().registers[handler->exception.index()] = current_exception;
      return enter(state, handler->target);
    }
    if (state.frames.size() == 1) break;
    const std::shared_ptr<Frame> left = state.frames.back();
    state.frames.pop_back();
    if (!left->generator.valid()) continue;
    auto& generator = state.heap.edit_as<GeneratorObject>(ObjectRef{left->generator});
    generator.finished = true;
    generator.running = false;
    if (exception_matches(machine_, state, current_exception, nb::borrow(PyExc_StopIteration)))
      current_exception = machine_.raise(PyExc_RuntimeError, "generator raised StopIteration").exception;
  }
  raise_out_of_program(machine_, state, current_exception);
  return false;
}

bool Exploration::returned(State& state, AbstractValue value) {
  const std::shared_ptr<Frame> left = state.frames.back();
  if (left->on_return == OnReturn::Finish) {
    finish_program(machine_, state, value);
    return false;
  }
  state.frames.pop_back();
  switch (left->on_return) {
    case OnReturn::Store: return complete(state, std::move(value));
    case OnReturn::Instance:
      if (!value.is_none())
        return unwind(state, machine_
                                 .raise(PyExc_TypeError, "__init__() should return None, not '" +
                                                             type_name(machine_, state, value) + "'")
                                 .exception);
      return complete(state, left->kept);
    case OnReturn::Operand:
      state.edit_top().replaced.emplace_back(left->operand, std::move(value));
      return true;
    case OnReturn::Truth: return settle(state, truth(machine_, state, value, OnReturn::Truth));
    case OnReturn::NotTruth: return settle(state, unary(machine_, state, program::Operation::Not, value));
    case OnReturn::Decide: return decide(state, std::get<program::Branch>(block_of(state).terminator), value);
    case OnReturn::Advance:
    case OnReturn::Next: return generator_ended(state, *left, std::move(value));
    case OnReturn::Finish: break;
  }
  internal_error("a frame returned to nowhere");
}

bool Exploration::generator_ended(State& state, const Frame& frame, AbstractValue value) {
  auto& generator = state.heap.edit_as<GeneratorObject>(ObjectRef{frame.generator});
  generator.finished = true;
  generator.running = false;
  if (frame.on_return == OnReturn::Advance) {
    const auto& next = std::get<program::ForNext>(block_of(state).terminator);
    if (next.returned.valid()) state.edit_top().registers[next.returned.index()] = std::move(value);
    return enter(state, next.exit);
  }
  if (frame.kept.bound()) return complete(state, frame.kept);
  Outcome stop = raise_stop(machine_, state, value);
  return unwind(state, std::get<Raised>(stop).exception);
}

// Something known decides how often the generator on top yields.
bool Exploration::yields_within_bounds(const State& state) {
  if (state.top().resumed_at == forks_) return true;
  const auto& loops = state.top().function->order.place(state.top().block).loops;
  if (loops.empty()) return true;
  const auto exits = exits_.find(positions_.of_loop(state, loops.size() - 1));
  return exits != exits_.end() && exits->second.bounded;
}

bool Exploration::yielded(State& state, AbstractValue value) {
  const bool is_bounded = yields_within_bounds(state);
  const std::shared_ptr<Frame> left = state.frames.back();
  state.frames.pop_back();
  Frame suspended = *left;
  const auto& instruction = suspended.function->ir.block(suspended.block).instructions[suspended.instruction];
  if (instruction.result.valid()) suspended.registers[instruction.result.index()] = known_none();
  ++suspended.instruction;
  auto& generator = state.heap.edit_as<GeneratorObject>(ObjectRef{left->generator});
  generator.running = false;
  generator.frame = std::move(suspended);
  if (left->on_return == OnReturn::Next) return complete(state, std::move(value));
  const auto& next = std::get<program::ForNext>(block_of(state).terminator);
  if (next.result.valid()) state.edit_top().registers[next.result.index()] = std::move(value);
  if (is_bounded) note_bound(state, next.body, next.exit, true);
  return enter(state, next.body);
}

void explore(Machine& machine, std::vector<State> entries) {
  Exploration exploration(machine);
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) exploration.start(std::move(*entry));
  exploration.explore();
}

}  // namespace dycl::partial_eval
