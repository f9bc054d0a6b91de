// SPDX-License-Identifier: Apache-2.0
// Checks that a backend needs because it is silently wrong, or dies, on some values: an extra bool
// output of the sub-DNN that says "raise".
#pragma once

#include <set>
#include <string>
#include <vector>

#include "hcfg/hcfg.h"
#include "subnet/stamp.h"

namespace dycl::subnet {

// Names that plugin_abi.h lists. What a maximum over NaN or a mean over nothing is, ONNX leaves to the
// backend (docs/decisions/0007-guards.md): only programs that PyTorch judges get a guard about NaN.
inline constexpr const char* kIntegerDivisionByZero = "integer_division_by_zero";
inline constexpr const char* kIntegerDivisionOverflow = "integer_division_overflow";
inline constexpr const char* kIntegerPowInexact = "integer_pow_inexact";
inline constexpr const char* kIntegerReductionInexact = "integer_reduction_inexact";
inline constexpr const char* kMaxPoolNotFinite = "max_pool_not_finite";
inline constexpr const char* kSigmoidUnderflow = "sigmoid_underflow";
inline constexpr const char* kGatherOutOfRange = "gather_out_of_range";
inline constexpr const char* kScatterOutOfRange = "scatter_out_of_range";

struct Guard {
  ValueId raised;    // bool tensor with one element
  std::string type;  // "IndexError"
  std::string message;
  SourceId source;
};

// The operations with the checks that `wanted` names put in front of what they protect. Values and
// constants that the checks need are added to the graph. `results` are what leaves the sub-DNN.
struct GuardedOps {
  std::vector<TensorOp> ops;
  std::vector<Guard> guards;
};
GuardedOps add_guards(Hcfg& graph, const ConstantTable& constants, const std::vector<TensorOp>& ops,
                      const std::vector<ValueId>& results, const std::set<std::string>& wanted);

}  // namespace dycl::subnet
