// SPDX-License-Identifier: Apache-2.0
#include "legalize/wide_integers.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "legalize/writer.h"

namespace dycl::legalize {
namespace {

constexpr std::int64_t kHalf = std::int64_t{1} << 32;  // one more than the largest lower half
constexpr std::int64_t kSmallest = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();

bool fits_32_bits(const TensorData& data) {
  for (std::size_t at = 0; at + sizeof(std::int64_t) <= data.bytes.size(); at += sizeof(std::int64_t)) {
    std::int64_t number = 0;
    std::memcpy(&number, data.bytes.data() + at, sizeof number);
    if (number < kSmallest || number > kLargest) return false;
  }
  return true;
}

// Numbers of 32 bits are in the right order.
bool is_narrow(ValueId value, const Writer& writer) {
  if (const TensorData* data = writer.constant(value)) return fits_32_bits(*data);
  const OnnxOp* producer = writer.facts().producer(value);
  if (producer == nullptr || producer->name != "Cast") return false;
  const DType from = writer.dtype_of(producer->inputs[0]);
  return from == DType::Bool || from == DType::I32 || (is_integer(from) && bit_width(from) <= 16);
}

ValueId choose(Writer& writer, ValueId condition, ValueId chosen, ValueId other) {
  return writer.node("Where", 9, {condition, chosen, other}, DType::I64);
}

ValueId is_less(Writer& writer, ValueId left, ValueId right) {
  return writer.node("Less", 9, {left, right}, DType::Bool);
}

ValueId larger(Writer& writer, ValueId left, ValueId right) {
  return choose(writer, is_less(writer, left, right), right, left);
}

ValueId smaller(Writer& writer, ValueId left, ValueId right) {
  return choose(writer, is_less(writer, right, left), right, left);
}

// The upper bound wins where it lies below the lower one.
ValueId clipped(const OnnxOp& op, Writer& writer) {
  ValueId result = op.inputs[0];
  if (op.inputs.size() > 1 && op.inputs[1].valid()) result = larger(writer, result, op.inputs[1]);
  if (op.inputs.size() > 2 && op.inputs[2].valid()) result = smaller(writer, result, op.inputs[2]);
  return result;
}

ValueId chosen_of(const OnnxOp& op, Writer& writer) {
  ValueId result = op.inputs[0];
  for (const ValueId other : std::span(op.inputs).subspan(1))
    result = op.name == "Max" ? larger(writer, result, other) : smaller(writer, result, other);
  return result;
}

ValueId sign_of(ValueId value, Writer& writer) {
  const ValueId zero = writer.integer(DType::I64, 0);
  const ValueId above = writer.cast(is_less(writer, zero, value), DType::I64);
  const ValueId below = writer.cast(is_less(writer, value, zero), DType::I64);
  return writer.node("Sub", 7, {above, below}, DType::I64);
}

class Reduction {
 public:
  Reduction(const OnnxOp& op, Writer& writer)
      : op_(op), writer_(writer), is_max_(op.name == "ReduceMax"), half_(integer(kHalf)) {}

  ValueId result() {
    const ValueId unsigned_lower = writer_.node("Mod", 10, {op_.inputs[0], half_}, DType::I64);
    const ValueId multiple = writer_.node("Sub", 7, {op_.inputs[0], unsigned_lower}, DType::I64);
    const ValueId upper = writer_.node("Div", 7, {multiple, half_}, DType::I64);
    const ValueId lower = writer_.node("Add", 7, {unsigned_lower, integer(kSmallest)}, DType::I64);
    const ValueId best = reduced(upper, true);
    const ValueId is_best = writer_.node("Equal", 7, {upper, best}, DType::Bool);
    const ValueId candidates = choose(writer_, is_best, lower, integer(is_max_ ? kSmallest : kLargest));
    const ValueId best_lower = reduced(candidates, keeps_dims());  // in an order that no compiler chooses
    return together(keeps_dims() ? best : reduced(upper, false), best_lower);
  }

 private:
  // Of nothing, the reduction gives a number beyond 32 bits, and that is the result.
  ValueId together(ValueId upper, ValueId lower) {
    const ValueId scaled = writer_.node("Mul", 7, {upper, half_}, DType::I64);
    const ValueId offset = writer_.node("Sub", 7, {lower, integer(kSmallest)}, DType::I64);
    const ValueId whole = writer_.node("Add", 7, {scaled, offset}, DType::I64);
    const ValueId is_of_nothing =
        is_max_ ? is_less(writer_, upper, integer(kSmallest)) : is_less(writer_, integer(kLargest), upper);
    return choose(writer_, is_of_nothing, upper, whole);
  }

  ValueId reduced(ValueId value, bool keeps) {
    std::vector<ValueId> inputs = op_.inputs;
    inputs[0] = value;
    Attributes attributes = op_.attributes;
    attributes["keepdims"] = std::int64_t{keeps};
    return writer_.node(op_.name, op_.version, std::move(inputs), DType::I64, std::move(attributes));
  }

  [[nodiscard]] bool keeps_dims() const {
    return attribute_or<std::int64_t>(op_.attributes, "keepdims", 1) != 0;
  }
  ValueId integer(std::int64_t number) { return writer_.integer(DType::I64, number); }

  const OnnxOp& op_;
  Writer& writer_;
  const bool is_max_;
  const ValueId half_;
};

}  // namespace

bool order_by_comparison(const OnnxOp& op, Writer& writer) {
  const bool chooses = op.name == "Max" || op.name == "Min";
  const bool reduces = op.name == "ReduceMax" || op.name == "ReduceMin";
  const bool has_bounds = op.name == "Clip" || op.name == "Relu" || op.name == "Sign";
  if ((!chooses && !reduces && !has_bounds) || writer.dtype_of(op.outputs[0]) != DType::I64) return false;
  const std::size_t data = reduces ? 1 : op.inputs.size();
  const bool all_narrow = std::ranges::all_of(std::span(op.inputs).first(data), [&](ValueId value) {
    return !value.valid() || is_narrow(value, writer);
  });
  if (all_narrow || (chooses && data == 1)) return false;
  const ValueId result = chooses             ? chosen_of(op, writer)
                         : reduces           ? Reduction(op, writer).result()
                         : op.name == "Clip" ? clipped(op, writer)
                         : op.name == "Relu" ? larger(writer, op.inputs[0], writer.integer(DType::I64, 0))
                                             : sign_of(op.inputs[0], writer);
  writer.replace(op, "Identity", 1, {result});
  return true;
}

}  // namespace dycl::legalize
