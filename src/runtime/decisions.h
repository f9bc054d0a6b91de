// SPDX-License-Identifier: Apache-2.0
// What one run decided: the values that the model read out of tensors, and the edges it took.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "base/scalar.h"

namespace dycl::runtime {

// A value that the model read. `instruction` is the `item` in the plan's code that reads it ("bool", "int",
// …).
struct ReadDecision {
  std::uint32_t instruction = 0;
  Scalar value;
};

// An edge between blocks, which are numbered as in the graph's text. `index` counts the edges that leave
// `from` (then, else; cases, fallback), because two of them may lead to one block.
struct TakenEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t index = 0;
  auto operator<=>(const TakenEdge&) const = default;
};

struct DecisionTrace {
  std::vector<ReadDecision> reads;           // in order
  std::map<TakenEdge, std::uint64_t> edges;  // how often each was taken
};

}  // namespace dycl::runtime
