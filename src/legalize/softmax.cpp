// SPDX-License-Identifier: Apache-2.0
#include "legalize/softmax.h"

#include <algorithm>

#include "legalize/writer.h"

namespace dycl::legalize {
namespace {

constexpr std::int64_t kOverOneAxis = 13;  // both are over one axis from here on, not over all behind it

bool is_read_by_products_alone(ValueId value, const Writer& writer) {
  const auto is_product = [](const OnnxOp* reader) {
    return reader->domain.empty() && (reader->name == "MatMul" || reader->name == "Gemm");
  };
  return !writer.facts().leaves(value) && std::ranges::all_of(writer.facts().readers(value), is_product);
}

// A NaN in the row makes the sum one, whatever ReduceMax makes of it.
struct Powers {
  ValueId below;  // each element less the largest of its row
  ValueId power;  // e to that
  ValueId sum;    // of a row
};

Powers write_powers(const OnnxOp& op, DType dtype, Writer& writer) {
  const ValueId axes = writer.integers({attribute_or<std::int64_t>(op.attributes, "axis", -1)});
  const ValueId largest = writer.node("ReduceMax", kAxesAreInput, {op.inputs[0], axes}, dtype);
  const ValueId below = writer.node("Sub", 14, {op.inputs[0], largest}, dtype);
  const ValueId power = writer.node("Exp", 13, {below}, dtype);
  return {below, power, writer.node("ReduceSum", 13, {power, axes}, dtype)};
}

}  // namespace

bool write_out_softmax(const OnnxOp& op, Writer& writer) {
  if (op.name != "Softmax" || op.version < kOverOneAxis) return false;
  const DType dtype = writer.dtype_of(op.inputs[0]);
  if (dtype != DType::F32 || is_read_by_products_alone(op.outputs[0], writer)) return false;
  const Powers powers = write_powers(op, dtype, writer);
  writer.replace(op, "Div", 14, {powers.power, powers.sum});
  return true;
}

bool write_out_log_softmax(const OnnxOp& op, Writer& writer) {
  if (op.name != "LogSoftmax" || op.version < kOverOneAxis) return false;
  const DType dtype = writer.dtype_of(op.inputs[0]);
  if (dtype != DType::F64) return false;
  const Powers powers = write_powers(op, dtype, writer);
  writer.replace(op, "Sub", 14, {powers.below, writer.node("Log", 13, {powers.sum}, dtype)});
  return true;
}

}  // namespace dycl::legalize
