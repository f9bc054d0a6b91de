// SPDX-License-Identifier: Apache-2.0
// The position of a state is a list of numbers, whose order is the order of exploration: a callee comes
// before what follows its call, and all iterations of a loop come before what follows the loop. So every join
// sees all its predecessors before it is passed.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "partial_eval/values/state.h"

namespace dycl::partial_eval {

using Position = std::vector<std::uint32_t>;

class Positions {
 public:
  [[nodiscard]] Position of(const State& state);
  // A loop around the top frame's block, by its depth in that function: every position in it, in any trip,
  // begins so.
  [[nodiscard]] Position of_loop(const State& state, std::size_t depth);
  [[nodiscard]] Position of_innermost_loop(const State& state) {
    return of_loop(state, state.top().iterations.size() - 1);
  }

 private:
  std::uint32_t ordinal(const Frame& frame);
  void append_frame(Position& position, const Frame& frame);

  std::unordered_map<const import_python::PythonFunction*, std::uint32_t> ordinals_;
};

// The frame is at the beginning of a block that heads a loop.
bool heads_loop(const Frame& frame);

// The iteration numbers after control goes from the frame's block to `target`.
std::vector<std::uint32_t> iterations_at(const Frame& frame, program::BlockId target);

// The target heads a loop that the frame's block belongs to.
bool is_back_edge(const Frame& frame, program::BlockId target);

}  // namespace dycl::partial_eval
