// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_ops.h"

#include <array>

#include "runtime/element.h"

namespace dycl::runtime {
namespace {

Status run_optional_op(const HostCall& call) {
  switch (call.op()) {
    case HostOp::None: return call.give(NoValue{});
    case HostOp::HasValue: return call.give(Scalar(call.operand(0).has_value()));
    case HostOp::Some:
      if (!call.operand(0).has_value()) return call.bad_operand();
      return call.give(call.take(0));
    case HostOp::Unwrap:
      if (!call.operand(0).has_value()) return raised("ValueError", "the optional holds no value");
      return call.give(call.take(0));
    default: return call.bad_operand();  // run_host_op brings no others
  }
}

Status run_check(const HostCall& call) {
  const RuntimeValue& operand = call.operand(0);
  const Scalar* scalar = operand.scalar();
  bool failed = false;
  if (const RuntimeTensor* tensor = operand.tensor()) {
    auto element = read_single_element(*tensor);
    if (!element) return failure_of(std::move(element));
    failed = scalar_to_bool(*element);
  } else if (scalar != nullptr) {
    failed = scalar_to_bool(*scalar);
  } else {
    return call.bad_operand();
  }
  if (!failed) return {};
  const Attributes& attributes = call.attributes().plan->attributes;
  return raised(attribute_or(attributes, "type", std::string()),
                attribute_or(attributes, "message", std::string()));
}

}  // namespace

Status run_scalar_op(const HostCall& call) {
  if (call.op() == HostOp::Const) return call.give(call.attributes().value);
  std::array<Scalar, 3> operands;
  if (call.operands() > operands.size()) return call.bad_operand();
  for (std::size_t index = 0; index < call.operands(); ++index) {
    const Scalar* scalar = call.operand(index).scalar();
    if (scalar == nullptr) return call.bad_operand();
    operands[index] = *scalar;
  }
  auto result =
      scalar_operation(call.op(), std::span(operands).first(call.operands()), call.attributes().context);
  if (!result) return failure_of(std::move(result));
  return call.give(*result);
}

Status run_host_op(const HostCall& call) {
  switch (call.op()) {
    case HostOp::Add:
    case HostOp::Sub:
    case HostOp::Mul:
    case HostOp::FloorDiv:
    case HostOp::Mod:
    case HostOp::TrueDiv:
    case HostOp::Pow:
    case HostOp::Neg:
    case HostOp::Abs:
    case HostOp::Invert:
    case HostOp::BitAnd:
    case HostOp::BitOr:
    case HostOp::BitXor:
    case HostOp::Shl:
    case HostOp::Shr:
    case HostOp::Lt:
    case HostOp::Le:
    case HostOp::Gt:
    case HostOp::Ge:
    case HostOp::Eq:
    case HostOp::Ne:
    case HostOp::And:
    case HostOp::Or:
    case HostOp::Not:
    case HostOp::Select:
    case HostOp::Round:
    case HostOp::Floor:
    case HostOp::Ceil:
    case HostOp::Trunc:
    case HostOp::Math:
    case HostOp::ToInt:
    case HostOp::ToFloat:
    case HostOp::ToBool:
    case HostOp::Const: return run_scalar_op(call);
    case HostOp::Item:
    case HostOp::ToTensor:
    case HostOp::Dim:
    case HostOp::Numel:
    case HostOp::View:
    case HostOp::Row: return run_tensor_op(call);
    case HostOp::SeqEmpty:
    case HostOp::SeqOf:
    case HostOp::SeqInsert:
    case HostOp::SeqErase:
    case HostOp::SeqAt:
    case HostOp::SeqLen: return run_sequence_op(call);
    case HostOp::SeqConcat: return concat_sequence(call);
    case HostOp::SeqSplit: return split_tensor(call);
    case HostOp::Some:
    case HostOp::None:
    case HostOp::HasValue:
    case HostOp::Unwrap: return run_optional_op(call);
    case HostOp::Check: return run_check(call);
  }
  return call.bad_operand();
}

}  // namespace dycl::runtime
