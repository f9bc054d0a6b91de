// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/explore/position.h"

namespace dycl::partial_eval {

std::uint32_t Positions::ordinal(const Frame& frame) {
  const auto next = static_cast<std::uint32_t>(ordinals_.size());
  return ordinals_.try_emplace(frame.function.get(), next).first->second;
}

void Positions::append_frame(Position& position, const Frame& frame) {
  position.push_back(ordinal(frame));
  const program::BlockPlace& place = frame.function->order.place(frame.block);
  for (std::size_t level = 0; level < place.path.size(); ++level) {
    position.push_back(place.path[level]);
    if (level < place.loops.size()) position.push_back(frame.iterations[level]);
  }
  position.push_back(frame.instruction);
}

Position Positions::of(const State& state) {
  Position position;
  for (const auto& frame : state.frames) append_frame(position, *frame);
  return position;
}

Position Positions::of_loop(const State& state, std::size_t loop) {
  Position position;
  for (std::size_t depth = 0; depth + 1 < state.frames.size(); ++depth)
    append_frame(position, *state.frames[depth]);
  const Frame& top = state.top();
  position.push_back(ordinal(top));
  const program::BlockPlace& place = top.function->order.place(top.block);
  for (std::size_t level = 0; level <= loop; ++level) {
    if (level > 0) position.push_back(top.iterations[level - 1]);
    position.push_back(place.path[level]);
  }
  return position;
}

bool heads_loop(const Frame& frame) {
  const auto& loops = frame.function->order.place(frame.block).loops;
  return frame.instruction == 0 && !loops.empty() && loops.back() == frame.block;
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
