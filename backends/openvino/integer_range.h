// SPDX-License-Identifier: Apache-2.0
// OpenVINO computes 64-bit integers in 32 bits, and several integer operators in f32. This analysis
// finds how large the integers given to a graph may be so that no answer changes.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "graph_editor.h"

namespace dycl::openvino {

// Sizes, indices and numbers computed from sizes alone are assumed to stay within this.
inline constexpr std::int64_t largest_size = std::int64_t{1} << 24;

// Integers up to this survive a computation in f32.
inline constexpr std::int64_t exact_in_f32 = std::int64_t{1} << 24;

struct IntegerLimit {
  // Integers given to the graph, and floats cast to integers inside it, must lie within ±largest.
  std::int64_t largest = 0;
  std::string refusal;  // the operator that no limit makes safe; empty when there is a limit
  // Outputs of products and sums that are to be checked where they are computed.
  std::set<std::string> checked_results;
};

IntegerLimit find_integer_limit(const Model& model, const GraphFacts& facts);

}  // namespace dycl::openvino
