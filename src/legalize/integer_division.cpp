// SPDX-License-Identifier: Apache-2.0
#include "legalize/integer_division.h"

#include <algorithm>
#include <limits>

#include "legalize/writer.h"

namespace dycl::legalize {
namespace {

bool has_element(const TensorData& integers, std::byte every_byte) {
  const std::size_t width = bit_width(integers.dtype) / 8;
  for (std::size_t offset = 0; offset < integers.bytes.size(); offset += width)
    if (std::ranges::all_of(integers.bytes.subspan(offset, width),
                            [&](std::byte byte) { return byte == every_byte; }))
      return true;
  return false;
}

// A constant without 0 and without -1 (the smallest integer divided by -1 does not fit).
bool is_harmless(const TensorData* divisor) {
  return divisor != nullptr && !has_element(*divisor, std::byte{0}) &&
         !has_element(*divisor, std::byte{0xFF});
}

bool divides_integers(const OnnxOp& op, const Writer& writer) {
  if ((op.name != "Div" && op.name != "Mod") || op.inputs.size() != 2) return false;
  const DType dtype = writer.dtype_of(op.inputs[1]);
  return is_integer(dtype) && bit_width(dtype) >= 8 && !is_harmless(writer.constant(op.inputs[1]));
}

ValueId overflows(const OnnxOp& op, DType dtype, Writer& writer) {
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min() >> (64 - bit_width(dtype));
  const ValueId negative = writer.node("Equal", 7, {op.inputs[1], writer.integer(dtype, -1)}, DType::Bool);
  const ValueId smallest =
      writer.node("Equal", 7, {op.inputs[0], writer.integer(dtype, lowest)}, DType::Bool);
  return writer.node("And", 7, {negative, smallest}, DType::Bool);
}

// Narrower integers are divided in 32 bits, where every quotient fits.
bool may_overflow(DType dtype, const Writer& writer) {
  return (dtype == DType::I32 || dtype == DType::I64) && writer.declares(kIntegerDivisionOverflow);
}

}  // namespace

// Some backends answer a zero with an error of their own; a wide division is checked anyway, and then the
// message is the same everywhere.
bool check_integer_division(const OnnxOp& op, Writer& writer) {
  if (!divides_integers(op, writer)) return false;
  const DType dtype = writer.dtype_of(op.inputs[1]);
  const bool is_wide = may_overflow(dtype, writer);
  if (!is_wide && !writer.declares(kIntegerDivisionByZero)) return false;
  const ValueId is_zero = writer.node("Equal", 7, {op.inputs[1], writer.integer(dtype, 0)}, DType::Bool);
  const ValueId too_large = is_wide ? overflows(op, dtype, writer) : ValueId{};
  const ValueId bad = is_wide ? writer.node("Or", 7, {is_zero, too_large}, DType::Bool) : is_zero;
  OnnxOp safe = op;
  safe.inputs[1] = writer.node("Where", 9, {bad, writer.integer(dtype, 1), op.inputs[1]}, dtype);
  writer.write(safe);
  writer.raise_if_any(is_zero, "ZeroDivisionError", "integer division by zero");
  if (is_wide)
    writer.refuse_if_any(too_large, "the smallest integer divided by -1 ends the process on this backend");
  return true;
}

}  // namespace dycl::legalize
