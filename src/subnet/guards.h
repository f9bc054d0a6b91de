// SPDX-License-Identifier: Apache-2.0
// Checks that a backend needs because it is silently wrong, or dies, on some values: an extra bool
// output of the sub-DNN that says "raise".
#pragma once

#include <set>
#include <string>
#include <vector>

#include "hcfg/hcfg.h"

namespace dycl {

inline constexpr const char* kIntegerDivisionByZero = "integer_division_by_zero";
inline constexpr const char* kGatherOutOfRange = "gather_out_of_range";

struct Guard {
  ValueId raised;    // bool tensor with one element
  std::string type;  // "IndexError"
  std::string message;
  SourceId source;
};

// The operations with the checks that `wanted` names put in front of what they protect. Values and
// constants that the checks need are added to the graph.
struct GuardedOps {
  std::vector<TensorOp> ops;
  std::vector<Guard> guards;
};
GuardedOps add_guards(Hcfg& graph, const std::vector<TensorOp>& ops, const std::set<std::string>& wanted);

}  // namespace dycl
