// SPDX-License-Identifier: Apache-2.0
#include "legalize/missing_kernels.h"

#include <tuple>

#include "legalize/writer.h"

namespace dycl::legalize {

bool choose_by_logic(const OnnxOp& op, Writer& writer) {
  if (op.name != "Where" || writer.dtype_of(op.outputs[0]) != DType::Bool) return false;
  const auto& [condition, chosen, other] = std::tie(op.inputs[0], op.inputs[1], op.inputs[2]);
  const ValueId is_other = writer.node("Not", 1, {condition}, DType::Bool);
  writer.replace(op, "Or", 7,
                 {writer.node("And", 7, {condition, chosen}, DType::Bool),
                  writer.node("And", 7, {is_other, other}, DType::Bool)});
  return true;
}

bool clip_wider(const OnnxOp& op, Writer& writer) {
  if (op.name != "Clip" || writer.dtype_of(op.outputs[0]) != DType::I16) return false;
  OnnxOp wide = op;
  for (ValueId& operand : wide.inputs)
    if (operand.valid()) operand = writer.cast(operand, DType::I32);
  const ValueId clipped = writer.node("Clip", op.version, wide.inputs, DType::I32, op.attributes);
  writer.replace(op, "Cast", 13, {clipped}, {{"to", static_cast<std::int64_t>(DType::I16)}});
  return true;
}

}  // namespace dycl::legalize
