// SPDX-License-Identifier: Apache-2.0
#include "support/rough_inference.h"

#include <set>
#include <utility>

namespace dycl::test {
namespace {

TensorType result_type(const Hcfg& graph, const OnnxOp& op) {
  static const std::set<std::string> kKeepShape{"Identity", "Relu", "Add",  "Sub",
                                                "Mul",      "Not",  "Less", "Equal"};
  static const std::set<std::string> kGiveBool{"Not", "Less", "Equal", "Greater", "And", "Or"};
  TensorType type;
  type.dims.reset();
  std::optional<std::vector<Dim>> common;
  bool same = kKeepShape.contains(op.name);
  for (const ValueId input : op.inputs) {
    if (!input.valid()) continue;
    const TensorType* tensor = graph.type_of(input).tensor();
    type.dtype = tensor->dtype;
    same = same && (!common || common == tensor->dims);
    common = tensor->dims;
  }
  if (same) type.dims = common;
  if (kGiveBool.contains(op.name)) type.dtype = DType::Bool;
  if (op.name == "Shape" || op.name == "Size") type.dtype = DType::I64;
  return type;
}

}  // namespace

// Later operations look at the results of earlier ones; the graph itself is left as it was.
Result<std::map<ValueId, TensorType>> RoughInference::infer(Hcfg& graph, std::span<const OnnxOp> ops) {
  std::map<ValueId, TensorType> types;
  std::map<ValueId, Type> before;
  for (const OnnxOp& op : ops)
    for (const ValueId output : op.outputs) {
      if (!output.valid()) continue;
      types[output] = result_type(graph, op);
      before.emplace(output, std::exchange(graph.values[output.index()].type, types[output]));
    }
  for (auto& [value, type] : before) graph.values[value.index()].type = std::move(type);
  return types;
}

}  // namespace dycl::test
