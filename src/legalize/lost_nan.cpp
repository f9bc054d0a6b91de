// SPDX-License-Identifier: Apache-2.0
#include "legalize/lost_nan.h"

#include <limits>

#include "legalize/writer.h"

namespace dycl::legalize {
namespace {

constexpr std::int64_t kAxisIsOne = 13;  // LogSoftmax is over one axis from here on, not over all behind it
constexpr std::int64_t kAxesAreInput = 18;  // all reductions take their axes as an operand from here on

}  // namespace

// A NaN in the row makes the sum one, whatever ReduceMax makes of it.
bool write_out_log_softmax(const OnnxOp& op, Writer& writer) {
  const DType dtype = writer.dtype_of(op.inputs[0]);
  if (op.name != "LogSoftmax" || op.version < kAxisIsOne || dtype != DType::F64) return false;
  const ValueId axes = writer.integers({attribute_or<std::int64_t>(op.attributes, "axis", -1)});
  const ValueId largest = writer.node("ReduceMax", kAxesAreInput, {op.inputs[0], axes}, dtype);
  const ValueId below = writer.node("Sub", 14, {op.inputs[0], largest}, dtype);
  const ValueId sum = writer.node("ReduceSum", 13, {writer.node("Exp", 13, {below}, dtype), axes}, dtype);
  writer.replace(op, "Sub", 14, {below, writer.node("Log", 13, {sum}, dtype)});
  return true;
}

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
