// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/position.h"

namespace dycl::partial_eval {

void Positions::append_frame(Position& position, const Frame& frame, bool without_last_iteration) {
  const auto ordinal =
      ordinals_.try_emplace(frame.function.get(), static_cast<std::uint32_t>(ordinals_.size())).first->second;
  position.push_back(ordinal);
  const program::BlockPlace& place = frame.function->order.place(frame.block);
  for (std::size_t level = 0; level < place.path.size(); ++level) {
    position.push_back(place.path[level]);
    const bool is_last = level + 1 == place.loops.size();
    if (level < place.loops.size() && !(is_last && without_last_iteration))
      position.push_back(frame.iterations[level]);
  }
  position.push_back(frame.instruction);
}

Position Positions::of(const State& state) {
  Position position;
  for (const auto& frame : state.frames) append_frame(position, *frame, false);
  return position;
}

Position Positions::of_loop(const State& state) {
  Position position;
  for (std::size_t depth = 0; depth < state.frames.size(); ++depth)
    append_frame(position, *state.frames[depth], depth + 1 == state.frames.size());
  return position;
}

bool is_back_edge(const Frame& frame, program::BlockId target) {
  const auto& loops = frame.function->order.place(target).loops;
  if (loops.empty() || loops.back() != target) return false;
  const auto& around = frame.function->order.place(frame.block).loops;
  return around.size() >= loops.size() && around[loops.size() - 1] == target;
}

std::vector<std::uint32_t> iterations_at(const Frame& frame, program::BlockId target) {
  const auto& before = frame.function->order.place(frame.block).loops;
  const auto& after = frame.function->order.place(target).loops;
  std::vector<std::uint32_t> iterations(after.size(), 0);
  for (std::size_t level = 0; level < after.size() && level < before.size(); ++level) {
    if (before[level] != after[level]) break;
    iterations[level] = frame.iterations[level];
  }
  if (is_back_edge(frame, target)) ++iterations.back();
  return iterations;
}

}  // namespace dycl::partial_eval
