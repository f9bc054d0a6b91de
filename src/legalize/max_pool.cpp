// SPDX-License-Identifier: Apache-2.0
#include "legalize/max_pool.h"

#include <limits>

#include "legalize/writer.h"

namespace dycl::legalize {
namespace {

bool pools_floats(const OnnxOp& op, const Writer& writer) {
  return (op.name == "MaxPool" || op.name == "GlobalMaxPool") && is_float(writer.dtype_of(op.inputs[0]));
}

bool may_pool_minus_infinity(const OnnxOp& op, const Writer& writer) {
  return pools_floats(op, writer) && !writer.facts().is_bounded_below(op.inputs[0]);
}

}  // namespace

bool check_pooled_nan(const OnnxOp& op, Writer& writer) {
  if (!pools_floats(op, writer)) return false;
  const DType dtype = writer.dtype_of(op.inputs[0]);
  const bool is_narrow = bit_width(dtype) < 32;
  const ValueId x = is_narrow ? writer.cast(op.inputs[0], DType::F32) : op.inputs[0];
  const ValueId sum =
      writer.node("ReduceSum", 13, {x}, is_narrow ? DType::F32 : dtype, {{"keepdims", std::int64_t{0}}});
  writer.refuse_if(writer.node("IsNaN", 9, {sum}, DType::Bool),
                   "a maximum over NaN, or over infinities of both signs, is not right on this backend");
  writer.write(op);
  return true;
}

bool check_pooled_places(const OnnxOp& op, Writer& writer) {
  if (!may_pool_minus_infinity(op, writer) || op.outputs.size() < 2 || !op.outputs[1].valid()) return false;
  writer.write(op);
  const ValueId lowest =
      writer.number(writer.dtype_of(op.inputs[0]), -std::numeric_limits<float>::infinity());
  const ValueId infinite = writer.node("Equal", 11, {op.outputs[0], lowest}, DType::Bool);
  writer.refuse_if_any(infinite, "the place of a maximum over -inf alone is not known on this backend");
  return true;
}

bool pool_halves(const OnnxOp& op, Writer& writer) {
  if (!may_pool_minus_infinity(op, writer)) return false;
  const DType dtype = writer.dtype_of(op.inputs[0]);
  OnnxOp halved = op;
  halved.inputs[0] = writer.node("Mul", 7, {op.inputs[0], writer.number(dtype, 0.5)}, dtype);
  halved.outputs[0] = writer.fresh_like(op.outputs[0]);
  writer.write(halved);
  const ValueId two = writer.number(dtype, 2);
  writer.keep({"", "Mul", 7, {}, {halved.outputs[0], two}, {op.outputs[0]}, op.source});
  return true;
}

}  // namespace dycl::legalize
