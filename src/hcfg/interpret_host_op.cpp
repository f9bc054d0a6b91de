// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/element.h"
#include "hcfg/interpret_parts.h"
#include "hcfg/tensor_rearrange.h"

namespace dycl {
namespace {

using HostOperands = std::span<const InterpreterValue* const>;
using Items = std::vector<InterpreterValue>;

// The graph is verified: an operand has the kind that its operation takes.
const TensorData& tensor(const InterpreterValue* value) { return *std::get<TensorPtr>(*value); }
const Scalar& scalar(const InterpreterValue* value) { return std::get<Scalar>(*value); }
std::int64_t integer(const InterpreterValue* value) { return std::get<std::int64_t>(scalar(value)); }
const Items& items(const InterpreterValue* value) { return *std::get<SeqValue>(*value).items; }

InterpreterValue seq(Items list) { return SeqValue{std::make_shared<const Items>(std::move(list))}; }
InterpreterValue int_value(std::size_t number) { return Scalar(static_cast<std::int64_t>(number)); }

Result<InterpreterValue> as_value(Result<Scalar>&& result) {
  if (!result) return failure_of(std::move(result));
  return InterpreterValue(*result);
}

Result<InterpreterValue> as_value(Result<TensorData>&& result) {
  if (!result) return failure_of(std::move(result));
  return InterpreterValue(std::make_shared<const TensorData>(*std::move(result)));
}

Result<InterpreterValue> item(const TensorData& data, ScalarKind kind) {
  if (data.count() != 1)
    return raised("ValueError", fmt::format("item() of a tensor with {} elements", data.count()));
  auto element = element_at(data, 0);
  if (!element) return failure_of(std::move(element));
  return as_value(convert_scalar(*element, kind));
}

Result<InterpreterValue> to_tensor(const HostStep& step, const Scalar& value, DType dtype) {
  return as_value(
      tensor_of_scalar(value, dtype, attribute_or(step.attributes, "dims", std::vector<std::int64_t>{})));
}

Result<InterpreterValue> constant(const HostStep& step, ScalarKind kind) {
  if (kind == ScalarKind::F64) return InterpreterValue(Scalar(attribute_or(step.attributes, "value", 0.0)));
  const Scalar value = attribute_or(step.attributes, "value", std::int64_t{0});
  return as_value(convert_scalar(value, kind));
}

Result<InterpreterValue> dim(const HostStep& step, const TensorData& data) {
  const auto axis = checked_axis(attribute_or(step.attributes, "axis", std::int64_t{0}), data.dims.size());
  if (!axis) return Failure(axis.error());
  return InterpreterValue(Scalar(data.dims[*axis]));
}

// Python's rule; `places` is the number of positions that are allowed, counted from `size` backwards.
Result<std::size_t> position(std::int64_t index, std::size_t size, std::size_t places) {
  const auto length = static_cast<std::int64_t>(size);
  const std::int64_t resolved = index < 0 && index >= -length ? index + length : index;
  if (resolved < 0 || resolved >= static_cast<std::int64_t>(places))
    return raised("IndexError", fmt::format("index {} is out of range for a sequence of {}", index, size));
  return static_cast<std::size_t>(resolved);
}

Result<InterpreterValue> seq_of(HostOperands operands) {
  Items list;
  for (const InterpreterValue* operand : operands) list.push_back(*operand);
  return seq(std::move(list));
}

Result<InterpreterValue> seq_insert(HostOperands operands) {
  Items list = items(operands[0]);
  std::size_t at = list.size();
  if (operands.size() == 3) {
    auto place = position(integer(operands[2]), list.size(), list.size() + 1);
    if (!place) return failure_of(std::move(place));
    at = *place;
  }
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), *operands[1]);
  return seq(std::move(list));
}

Result<InterpreterValue> seq_erase(HostOperands operands) {
  Items list = items(operands[0]);
  const std::int64_t index = operands.size() == 2 ? integer(operands[1]) : -1;
  auto place = position(index, list.size(), list.size());
  if (!place) return failure_of(std::move(place));
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(*place));
  return seq(std::move(list));
}

Result<InterpreterValue> seq_at(HostOperands operands) {
  const Items& list = items(operands[0]);
  auto place = position(integer(operands[1]), list.size(), list.size());
  if (!place) return failure_of(std::move(place));
  return list[*place];
}

InterpreterValue some(const InterpreterValue& value) {
  return OptionalValue{std::make_shared<const InterpreterValue>(value)};
}

InterpreterValue has_value(const InterpreterValue& optional) {
  return Scalar(std::get<OptionalValue>(optional).value != nullptr);
}

Result<InterpreterValue> unwrap(const InterpreterValue* value) {
  const auto& inner = std::get<OptionalValue>(*value).value;
  if (inner == nullptr) return raised("ValueError", "an optional without a value was unwrapped");
  return *inner;
}

Result<InterpreterValue> view(const HostStep& step, const TensorData& data) {
  return as_value(view_as(data, attribute_or(step.attributes, "dims", std::vector<std::int64_t>{})));
}

Result<InterpreterValue> row(const HostStep& step, const TensorData& data, std::int64_t index) {
  if (data.dims.empty()) return raised("IndexError", "a tensor without dims has no rows");
  const std::int64_t size = data.dims[0];
  const bool is_out = index < -size || index >= size;
  if (is_out && step.attributes.contains("draws"))
    return draws_used_up(attribute_or(step.attributes, "draws", std::string()), size);
  if (is_out)
    return raised("IndexError", fmt::format("index {} is out of range for dim 0 of size {}", index, size));
  auto part = slice_axis(data, 0, index < 0 ? index + size : index, 1);
  if (part) part->dims.erase(part->dims.begin());
  return as_value(std::move(part));
}

Result<InterpreterValue> scalars(const HostStep& step, HostOperands operands, ScalarKind kind) {
  std::vector<Scalar> values;
  for (const InterpreterValue* operand : operands) values.push_back(scalar(operand));
  return as_value(scalar_operation(step.op, values, scalar_context(step.op, step.attributes, kind)));
}

Result<InterpreterValue> tensor_operation(const HostStep& step, const Type& output, HostOperands operands) {
  switch (step.op) {
    case HostOp::Item: return item(tensor(operands[0]), output.scalar()->kind);
    case HostOp::ToTensor: return to_tensor(step, scalar(operands[0]), output.tensor()->dtype);
    case HostOp::Dim: return dim(step, tensor(operands[0]));
    case HostOp::Numel: return InterpreterValue(Scalar(tensor(operands[0]).count()));
    case HostOp::View: return view(step, tensor(operands[0]));
    case HostOp::Row: return row(step, tensor(operands[0]), integer(operands[1]));
    default: internal_error("an operation on tensors that the interpreter does not know");
  }
}

Result<InterpreterValue> sequence_operation(const HostStep& step, const Type& output, HostOperands operands,
                                            const SymbolSize& sizes) {
  switch (step.op) {
    case HostOp::SeqEmpty:
    case HostOp::SeqOf: return seq_of(operands);
    case HostOp::SeqInsert: return seq_insert(operands);
    case HostOp::SeqErase: return seq_erase(operands);
    case HostOp::SeqAt: return seq_at(operands);
    case HostOp::SeqLen: return int_value(items(operands[0]).size());
    case HostOp::SeqConcat: return run_seq_concat(step, *output.tensor(), items(operands[0]), sizes);
    case HostOp::SeqSplit: return run_seq_split(step, operands);
    default: internal_error("an operation on sequences that the interpreter does not know");
  }
}

Result<InterpreterValue> optional_operation(HostOp op, HostOperands operands) {
  switch (op) {
    case HostOp::Some: return some(*operands[0]);
    case HostOp::None: return InterpreterValue(OptionalValue{});
    case HostOp::HasValue: return has_value(*operands[0]);
    case HostOp::Unwrap: return unwrap(operands[0]);
    default: internal_error("an operation on optionals that the interpreter does not know");
  }
}

}  // namespace

Status run_check(const HostStep& step, const InterpreterValue& operand) {
  bool failed = false;
  if (const auto* given = std::get_if<Scalar>(&operand)) {
    failed = std::get<bool>(*given);
  } else {
    auto read = item(tensor(&operand), ScalarKind::Bool);
    if (!read) return failure_of(std::move(read));
    failed = std::get<bool>(std::get<Scalar>(*read));
  }
  if (!failed) return {};
  return raised(std::get<std::string>(step.attributes.at("type")),
                std::get<std::string>(step.attributes.at("message")));
}

Result<InterpreterValue> run_host_op(const HostStep& step, const Type& output, HostOperands operands,
                                     const SymbolSize& sizes) {
  switch (family_of(step.op)) {
    case HostOpFamily::Constant: return constant(step, output.scalar()->kind);
    case HostOpFamily::Scalar: return scalars(step, operands, output.scalar()->kind);
    case HostOpFamily::Tensor: return tensor_operation(step, output, operands);
    case HostOpFamily::Sequence: return sequence_operation(step, output, operands, sizes);
    case HostOpFamily::Optional: return optional_operation(step.op, operands);
    case HostOpFamily::Effect: break;  // gives no value
  }
  internal_error("an operation without a value was asked for one");
}

}  // namespace dycl
