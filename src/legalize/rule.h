// SPDX-License-Identifier: Apache-2.0
// What a rule is: a free function that is shown one operation and writes what the backend is to compute in
// its place. How to add one: docs/how_to/add_a_legalization_rule.md.
#pragma once

#include <cstdint>
#include <string_view>

#include "legalize/judge.h"

namespace dycl::legalize {

class Writer;

// Returns false when the operation is not its business. Otherwise it has written everything: the operation,
// as it was or changed, goes to Writer::write, which shows it to the rules behind this one.
using RuleFunction = bool (*)(const OnnxOp& op, Writer& writer);

enum class RuleKind : std::uint8_t {
  Rewrite,  // another form with the same value, which the backend computes rightly
  Check,    // an exception where the backend would be wrong, or would end the process
};

struct Rule {
  std::string_view hazard;  // that a plugin declares; several hazards may share a function
  RuleKind kind;
  RuleFunction function;
  Judge judge;  // Onnx: for every sub-DNN; Eager: only for those whose answers eager PyTorch judges
  std::string_view sentence;
  bool in_exported_files = false;  // a rewriting that ONNX files for other runtimes get, too
};

}  // namespace dycl::legalize
