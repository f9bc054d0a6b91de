// SPDX-License-Identifier: Apache-2.0
#include "legalize/lost_nan.h"

#include <limits>

#include "legalize/writer.h"

namespace dycl::legalize {

bool put_back_nan(const OnnxOp& op, Writer& writer) {
  const DType dtype = writer.dtype_of(op.inputs[0]);
  if (op.name != "ReduceLogSumExp" || op.version < kAxesAreInput || !is_float(dtype)) return false;
  OnnxOp reduced = op;
  reduced.outputs[0] = writer.fresh_like(op.outputs[0]);
  writer.write(reduced);
  std::vector<ValueId> marks = op.inputs;
  marks[0] = writer.cast(writer.node("IsNaN", 9, {op.inputs[0]}, DType::Bool), DType::F32);
  const ValueId most = writer.node("ReduceMax", op.version, std::move(marks), DType::F32, op.attributes);
  const ValueId nan = writer.number(dtype, std::numeric_limits<float>::quiet_NaN());
  const ValueId has_nan = writer.node("Greater", 13, {most, writer.number(DType::F32, 0)}, DType::Bool);
  writer.replace(op, "Where", 16, {has_nan, nan, reduced.outputs[0]});
  return true;
}

}  // namespace dycl::legalize
