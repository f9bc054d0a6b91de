// SPDX-License-Identifier: Apache-2.0
// What one run decided: the values that the model read out of tensors, and the edges it took.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/scalar.h"

namespace dycl {

// `instruction` is an item of the plan's code that the model wrote as a read ("bool", "int", …).
struct ReadDecision {
  std::uint32_t instruction = 0;
  Scalar value;
};

struct DecisionTrace {
  std::vector<ReadDecision> reads;                                         // in order
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> edges;  // blocks as in the graph's text
};

}  // namespace dycl
