// SPDX-License-Identifier: Apache-2.0
#include "legalize/integer_results.h"

#include <fmt/format.h>

#include <limits>

#include "legalize/writer.h"

namespace dycl::legalize {
namespace {

constexpr std::int64_t kLargestExact = std::int64_t{1} << 53;

bool has_at_most(const TensorType& type, std::int64_t most) {
  if (!type.dims) return false;
  std::int64_t count = 1;
  for (const Dim& dim : *type.dims) {
    if (!dim.is_static() || dim.constant > most) return false;
    count *= dim.constant;
    if (count > most) return false;
  }
  return true;
}

// Sums of casts from narrower types stay below 2^53: of bools and 16 bits always, of 32 bits if there are not
// millions of them.
bool adds_small(const OnnxOp& op, const Writer& writer) {
  const TensorType& type = writer.type_of(op.inputs[0]);
  const OnnxOp* producer = writer.facts().producer(op.inputs[0]);
  if (type.dtype != DType::I64 || producer == nullptr || producer->name != "Cast") return false;
  const DType from = writer.dtype_of(producer->inputs[0]);
  if (from == DType::Bool) return true;
  if (!is_integer(from)) return false;
  return bit_width(from) <= 16 || (bit_width(from) == 32 && has_at_most(type, 1 << 20));
}

bool reduces_integers(const OnnxOp& op, const Writer& writer) {
  if (op.name != "ReduceSum" && op.name != "ReduceProd") return false;
  const DType dtype = writer.dtype_of(op.inputs[0]);
  return (dtype == DType::I32 || dtype == DType::I64) && !(op.name == "ReduceSum" && adds_small(op, writer));
}

// The same sum over absolute values: a sum is exact while that one is.
ValueId sum_of_magnitudes(const OnnxOp& op, DType dtype, Writer& writer) {
  OnnxOp sum = op;
  sum.inputs[0] = writer.node("Abs", 6, {op.inputs[0]}, dtype);
  sum.outputs[0] = writer.fresh_like(op.outputs[0]);
  writer.keep(sum);
  return sum.outputs[0];
}

}  // namespace

bool check_integer_power(const OnnxOp& op, Writer& writer) {
  if (op.name != "Pow") return false;
  const DType dtype = writer.dtype_of(op.inputs[0]);
  if (dtype != DType::I64 && dtype != DType::U64) return false;
  writer.write(op);
  const ValueId power = op.outputs[0];
  ValueId bad = writer.node("Greater", 9, {power, writer.integer(dtype, kLargestExact)}, DType::Bool);
  if (dtype == DType::I64) {
    const ValueId below = writer.node("Less", 9, {power, writer.integer(dtype, -kLargestExact)}, DType::Bool);
    bad = writer.node("Or", 7, {bad, below}, DType::Bool);
  }
  writer.refuse_if_any(bad, "an integer power beyond 2^53 is not exact on this backend");
  return true;
}

// The backend saturates. A product that is exact, and an i32, show in the result. The smallest integer has no
// absolute value: a sum of magnitudes below 0 has met it.
bool check_integer_reduction(const OnnxOp& op, Writer& writer) {
  if (!reduces_integers(op, writer)) return false;
  writer.write(op);
  const DType dtype = writer.dtype_of(op.inputs[0]);
  const bool is_narrow = dtype == DType::I32;
  const bool adds_magnitudes = !is_narrow && op.name == "ReduceSum";
  const ValueId result = adds_magnitudes ? sum_of_magnitudes(op, dtype, writer) : op.outputs[0];
  const std::int64_t most = is_narrow ? std::numeric_limits<std::int32_t>::max() : kLargestExact;
  const std::int64_t least = adds_magnitudes ? 0 : -most;
  const ValueId fits = writer.node("Less", 9, {result, writer.integer(dtype, most)}, DType::Bool);
  const ValueId below = writer.node("Less", 9, {result, writer.integer(dtype, least)}, DType::Bool);
  const ValueId beyond = writer.node("Not", 1, {fits}, DType::Bool);
  writer.refuse_if_any(writer.node("Or", 7, {below, beyond}, DType::Bool),
                       fmt::format("an integer {} beyond {} is not exact on this backend",
                                   op.name == "ReduceSum" ? "sum" : "product", is_narrow ? "2^31" : "2^53"));
  return true;
}

}  // namespace dycl::legalize
