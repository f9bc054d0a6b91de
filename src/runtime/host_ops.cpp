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
    default: internal_error("an operation on optionals that the runtime does not know");
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
  switch (family_of(call.op())) {
    case HostOpFamily::Constant: return call.give(call.attributes().value);
    case HostOpFamily::Scalar: return run_scalar_op(call);
    case HostOpFamily::Tensor: return run_tensor_op(call);
    case HostOpFamily::Sequence: return run_sequence_op(call);
    case HostOpFamily::Optional: return run_optional_op(call);
    case HostOpFamily::Effect: return call.op() == HostOp::Check ? run_check(call) : call.bad_operand();
  }
  return call.bad_operand();
}

}  // namespace dycl::runtime
