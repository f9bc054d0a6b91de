// SPDX-License-Identifier: Apache-2.0
#include "half_precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/operator_traits.h"

namespace dycl::openvino {
namespace {

using Names = std::set<std::string, std::less<>>;

// Rounding before these gives what rounding after them gives: they move elements or choose among them.
bool commutes_with_rounding(const std::string& op) {
  static const Names chosen = {"Concat",    "Dropout", "Trilu",         "Pad",    "Where",
                               "Max",       "Min",     "Relu",          "Abs",    "ReduceMax",
                               "ReduceMin", "Neg",     "GlobalMaxPool", "MaxPool"};
  return has_trait(op, Trait::Moves) || has_trait(op, Trait::Scatters) || chosen.contains(op);
}
const Names kReadOnlyTheShape = {"Shape", "Size"};
// They make no number that would need rounding.
const Names kExactSources = {"Constant", "ConstantOfShape", "EyeLike", "OneHot"};

bool is_half(std::optional<DType> dtype) { return dtype == DType::F16 || dtype == DType::BF16; }

bool rounds(const Node& node, const GraphFacts& facts) {
  if (commutes_with_rounding(node.op) || kExactSources.contains(node.op)) return false;
  if (node.op != "Cast" && node.op != "CastLike") return true;
  const auto from = facts.dtype(node.inputs[0]);
  return from != DType::Bool && from != facts.dtype(node.outputs[0]);
}

}  // namespace

std::string first_unrounded_use(const Model& model, const GraphFacts& facts) {
  Names unrounded;
  for (const Node& node : model.nodes) {
    const auto found = std::ranges::find_if(
        node.inputs, [&](const std::string& input) { return unrounded.contains(input); });
    const bool uses_unrounded = found != node.inputs.end();
    if (kReadOnlyTheShape.contains(node.op)) continue;
    if (uses_unrounded && !commutes_with_rounding(node.op))
      return fmt::format("{} on {}: openvino would not round the intermediate result '{}'", node.op,
                         name_of(*facts.dtype(*found)), *found);
    for (const std::string& output : node.outputs)
      if (is_half(facts.dtype(output)) && (uses_unrounded || rounds(node, facts))) unrounded.insert(output);
  }
  return {};
}

}  // namespace dycl::openvino
