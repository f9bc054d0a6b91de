// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/explore/obstacles.h"

#include <algorithm>
#include <set>

#include "partial_eval/language/instructions.h"

namespace dycl::partial_eval {
namespace {

// A reader has enough to do with so many; and what is found far behind the first is guessed.
constexpr std::size_t kMostObstacles = 40;

// Looked for in containers this deep.
constexpr int kDepth = 3;

bool holds_unknown(const Machine& machine, const State& state, const AbstractValue& given, int depth) {
  if (!given.bound()) return false;
  const AbstractValue value = current(state, given);
  const ObjectRef* ref = value.object();
  if (ref == nullptr || depth == 0) return false;
  if (const auto* instance = state.heap.get<InstanceObject>(value))
    if (instance->type.is(machine.torch.prelude_function("Unknown"))) return true;
  bool found = false;
  for_each_child(state.heap.at(*ref), [&](const AbstractValue& child) {
    found = found || holds_unknown(machine, state, child, depth - 1);
  });
  return found;
}

// Going on there would meet the same limit again.
bool ends_path(const Diagnostic& diagnostic) {
  static const std::set<std::string> codes{"python.unroll_limit",    "python.blocks_limit",
                                           "python.states_limit",    "python.switch_limit",
                                           "python.recursion_limit", "python.dynamic_trip_count"};
  return codes.contains(diagnostic.code);
}

bool is_same_place(const Diagnostic& one, const Diagnostic& other) {
  return one.code == other.code && to_string(one.span) == to_string(other.span);
}

}  // namespace

bool works_on_unknown(const Machine& machine, const State& state) {
  const Frame& frame = state.top();
  const program::Block& block = frame.function->ir.block(frame.block);
  if (frame.instruction >= block.instructions.size()) return false;
  const auto& operands = block.instructions[frame.instruction].operands;
  return std::ranges::any_of(operands, [&](program::RegisterId operand) {
    return operand.valid() && holds_unknown(machine, state, frame.registers[operand.index()], kDepth);
  });
}

bool note_obstacle(Machine& machine, State& state, const Diagnostic& diagnostic) {
  std::vector<Diagnostic>& obstacles = machine.found.obstacles;
  const bool is_consequence = works_on_unknown(machine, state);
  const bool has_caller = leave_prelude(machine, state);
  if (!is_consequence && !(has_caller && works_on_unknown(machine, state)) &&
      std::ranges::none_of(obstacles, [&](const auto& other) { return is_same_place(other, diagnostic); }))
    obstacles.push_back(diagnostic);
  return has_caller && !ends_path(diagnostic) && obstacles.size() < kMostObstacles;
}

AbstractValue unknown_value(const Machine& machine, State& state) {
  return state.make(InstanceObject{machine.torch.prelude_function("Unknown"), {}, {}});
}

bool leave_prelude(const Machine& machine, State& state) {
  while (!state.frames.empty() && machine.torch.is_prelude(state.top().function->ir.file)) {
    const std::shared_ptr<Frame> left = state.frames.back();
    if (state.frames.size() == 1) return false;
    state.frames.pop_back();
    if (!left->generator.valid()) continue;
    auto& generator = state.heap.edit_as<GeneratorObject>(ObjectRef{left->generator});
    generator.finished = true;
    generator.running = false;
  }
  return !state.frames.empty();
}

}  // namespace dycl::partial_eval
