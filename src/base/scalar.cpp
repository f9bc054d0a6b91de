// SPDX-License-Identifier: Apache-2.0
#include "base/scalar.h"

#include <fmt/format.h>

#include <cmath>

#include "base/by_rule.h"
#include "base/host_op_signature.h"
#include "base/overloaded.h"
#include "base/scalar_math.h"
#include "host_rules/compare.h"
#include "host_rules/floats.h"
#include "host_rules/integers.h"
#include "host_rules/power_and_round.h"

namespace dycl {
namespace {

// The verifier lets no such operation through; a hostile host plan must still not crash.
Failure mismatch(HostOp op) {
  return fail(Blame::Internal, "scalar.types",
              fmt::format("'{}' cannot take scalars of these kinds", name_of(op)));
}

// Computes by a rule of host_rules, which throws what Python raises.
template <class Rule>
Result<Scalar> computed(const Rule& rule) {
  return by_rule([&] { return Scalar(rule()); });
}

Result<Scalar> int_arithmetic(HostOp op, std::int64_t left, std::int64_t right) {
  switch (op) {
    case HostOp::Add: return computed([&] { return host_rules::add(left, right); });
    case HostOp::Sub: return computed([&] { return host_rules::sub(left, right); });
    case HostOp::Mul: return computed([&] { return host_rules::mul(left, right); });
    case HostOp::FloorDiv: return computed([&] { return host_rules::floor_div(left, right); });
    case HostOp::Mod: return computed([&] { return host_rules::mod(left, right); });
    case HostOp::TrueDiv: return computed([&] { return host_rules::true_div(left, right); });
    case HostOp::Pow:
      if (right >= 0) return computed([&] { return host_rules::whole_power(left, right); });
      return computed([&] { return host_rules::power_to_float(left, right); });
    default: return mismatch(op);
  }
}

Result<Scalar> float_arithmetic(HostOp op, double left, double right) {
  switch (op) {
    case HostOp::Add: return Scalar(left + right);
    case HostOp::Sub: return Scalar(left - right);
    case HostOp::Mul: return Scalar(left * right);
    case HostOp::FloorDiv: return computed([&] { return host_rules::floor_div(left, right); });
    case HostOp::Mod: return computed([&] { return host_rules::mod(left, right); });
    case HostOp::TrueDiv: return computed([&] { return host_rules::true_div(left, right); });
    case HostOp::Pow: return computed([&] { return host_rules::float_power(left, right); });
    default: return mismatch(op);
  }
}

Result<Scalar> as_scalar(Result<bool>&& result) {
  if (!result) return failure_of(std::move(result));
  return Scalar(*result);
}

Result<Scalar> as_scalar(Result<std::int64_t>&& result) {
  if (!result) return failure_of(std::move(result));
  return Scalar(*result);
}

host_rules::Order order_of(const Scalar& left, const Scalar& right) {
  return std::visit([](auto one, auto other) { return host_rules::compare(one, other); }, left, right);
}

Result<Scalar> unary_number(HostOp op, const Scalar& operand) {
  if (const auto* number = std::get_if<double>(&operand)) {
    if (op == HostOp::Neg) return Scalar(-*number);
    if (op == HostOp::Abs) return Scalar(std::fabs(*number));
    return mismatch(op);
  }
  const auto* integer = std::get_if<std::int64_t>(&operand);
  if (integer == nullptr) return mismatch(op);
  if (op == HostOp::Invert) return Scalar(host_rules::invert(*integer));
  if (op == HostOp::Abs) return computed([&] { return host_rules::abs(*integer); });
  return computed([&] { return host_rules::neg(*integer); });
}

Result<Scalar> bit_length(const Scalar& operand) {
  const auto* integer = std::get_if<std::int64_t>(&operand);
  if (integer == nullptr) return mismatch(HostOp::BitLength);
  return Scalar(host_rules::bit_length(*integer));
}

template <class T>
Result<Scalar> bits(HostOp op, T left, T right) {
  switch (op) {
    case HostOp::BitAnd: return Scalar(host_rules::bit_and(left, right));
    case HostOp::BitOr: return Scalar(host_rules::bit_or(left, right));
    case HostOp::BitXor: return Scalar(host_rules::bit_xor(left, right));
    default: return mismatch(op);
  }
}

Result<Scalar> bit_operation(HostOp op, const Scalar& left, const Scalar& right) {
  if (left.index() != right.index() || std::holds_alternative<double>(left)) return mismatch(op);
  if (const auto* truth = std::get_if<bool>(&left)) return bits(op, *truth, std::get<bool>(right));
  return bits(op, std::get<std::int64_t>(left), std::get<std::int64_t>(right));
}

Result<Scalar> shift_operation(HostOp op, const Scalar& left, const Scalar& right) {
  const auto* number = std::get_if<std::int64_t>(&left);
  const auto* count = std::get_if<std::int64_t>(&right);
  if (number == nullptr || count == nullptr) return mismatch(op);
  if (op == HostOp::Shl) return computed([&] { return host_rules::shl(*number, *count); });
  return computed([&] { return host_rules::shr(*number, *count); });
}

Result<Scalar> to_whole(HostOp op, const Scalar& operand) {
  const auto* number = std::get_if<double>(&operand);
  if (number == nullptr) return as_scalar(scalar_to_int(operand));
  if (op == HostOp::Floor) return computed([&] { return host_rules::floor(*number); });
  if (op == HostOp::Ceil) return computed([&] { return host_rules::ceil(*number); });
  return computed([&] { return host_rules::trunc(*number); });
}

Result<Scalar> round_operation(std::span<const Scalar> operands) {
  if (operands.size() == 1)
    return computed(
        [&] { return std::visit([](auto number) { return host_rules::round(number); }, operands[0]); });
  const auto* digits = std::get_if<std::int64_t>(&operands[1]);
  if (digits == nullptr || std::holds_alternative<bool>(operands[0])) return mismatch(HostOp::Round);
  if (const auto* number = std::get_if<double>(&operands[0]))
    return computed([&] { return host_rules::round(*number, *digits); });
  return computed([&] { return host_rules::round(std::get<std::int64_t>(operands[0]), *digits); });
}

// Two ints to a negative power are a float: a graph was compiled for one of the kinds.
Result<Scalar> power(const Scalar& left, const Scalar& right, const ScalarContext& context) {
  const auto* base = std::get_if<std::int64_t>(&left);
  const auto* exponent = std::get_if<std::int64_t>(&right);
  if (base == nullptr || exponent == nullptr || !context.result)
    return scalar_arithmetic(HostOp::Pow, left, right);
  if (*context.result == ScalarKind::I64)
    return computed([&] { return host_rules::power_to_int(*base, *exponent); });
  return computed([&] { return host_rules::power_to_float(*base, *exponent); });
}

Result<Scalar> select(std::span<const Scalar> operands) {
  const auto* condition = std::get_if<bool>(&operands[0]);
  return condition == nullptr ? mismatch(HostOp::Select) : Result<Scalar>(operands[*condition ? 1 : 2]);
}

Result<Scalar> bool_operation(HostOp op, std::span<const Scalar> operands) {
  for (const Scalar& operand : operands)
    if (!std::holds_alternative<bool>(operand)) return mismatch(op);
  const bool first = std::get<bool>(operands[0]);
  if (op == HostOp::Not) return Scalar(!first);
  const bool second = std::get<bool>(operands[1]);
  return Scalar(op == HostOp::And ? first && second : first || second);
}

bool takes_operands(HostOp op, std::size_t count) {
  const HostOpSignature& signature = signature_of(op);
  return count >= signature.required_inputs && count <= signature.inputs.size();
}

}  // namespace

ScalarKind kind_of(const Scalar& scalar) {
  return std::visit(Overloaded{
                        [](bool) { return ScalarKind::Bool; },
                        [](std::int64_t) { return ScalarKind::I64; },
                        [](double) { return ScalarKind::F64; },
                    },
                    scalar);
}

Result<Scalar> scalar_arithmetic(HostOp op, const Scalar& left, const Scalar& right) {
  if (left.index() != right.index() || std::holds_alternative<bool>(left)) return mismatch(op);
  if (const auto* number = std::get_if<std::int64_t>(&left))
    return int_arithmetic(op, *number, std::get<std::int64_t>(right));
  return float_arithmetic(op, std::get<double>(left), std::get<double>(right));
}

Result<bool> scalar_compare(HostOp op, const Scalar& left, const Scalar& right) {
  using host_rules::Order;
  const Order order = order_of(left, right);
  switch (op) {
    case HostOp::Lt: return order == Order::Less;
    case HostOp::Le: return order == Order::Less || order == Order::Equal;
    case HostOp::Gt: return order == Order::Greater;
    case HostOp::Ge: return order == Order::Greater || order == Order::Equal;
    case HostOp::Eq: return order == Order::Equal;
    case HostOp::Ne: return order != Order::Equal;
    default: return mismatch(op);
  }
}

Result<std::int64_t> scalar_to_int(const Scalar& scalar) {
  return by_rule([&] { return std::visit([](auto value) { return host_rules::to_int(value); }, scalar); });
}

double scalar_to_float(const Scalar& scalar) {
  return std::visit([](auto value) { return host_rules::to_float(value); }, scalar);
}

bool scalar_to_bool(const Scalar& scalar) {
  return std::visit([](auto value) { return host_rules::to_bool(value); }, scalar);
}

ScalarContext scalar_context(HostOp op, const Attributes& attributes, ScalarKind result) {
  if (op == HostOp::Pow) return {result, {}};
  if (op != HostOp::Math) return {};
  return {{}, math_function_from_name(attribute_or(attributes, "function", std::string()))};
}

Result<Scalar> scalar_operation(HostOp op, std::span<const Scalar> operands, const ScalarContext& context) {
  if (!takes_operands(op, operands.size())) return mismatch(op);
  switch (op) {
    case HostOp::Add:
    case HostOp::Sub:
    case HostOp::Mul:
    case HostOp::FloorDiv:
    case HostOp::Mod:
    case HostOp::TrueDiv: return scalar_arithmetic(op, operands[0], operands[1]);
    case HostOp::Pow: return power(operands[0], operands[1], context);
    case HostOp::Neg:
    case HostOp::Abs:
    case HostOp::Invert: return unary_number(op, operands[0]);
    case HostOp::BitLength: return bit_length(operands[0]);
    case HostOp::BitAnd:
    case HostOp::BitOr:
    case HostOp::BitXor: return bit_operation(op, operands[0], operands[1]);
    case HostOp::Shl:
    case HostOp::Shr: return shift_operation(op, operands[0], operands[1]);
    case HostOp::Lt:
    case HostOp::Le:
    case HostOp::Gt:
    case HostOp::Ge:
    case HostOp::Eq:
    case HostOp::Ne: return as_scalar(scalar_compare(op, operands[0], operands[1]));
    case HostOp::And:
    case HostOp::Or:
    case HostOp::Not: return bool_operation(op, operands);
    case HostOp::Select: return select(operands);
    case HostOp::Round: return round_operation(operands);
    case HostOp::Floor:
    case HostOp::Ceil:
    case HostOp::Trunc: return to_whole(op, operands[0]);
    case HostOp::Math: return context.function ? scalar_math(*context.function, operands) : mismatch(op);
    case HostOp::ToInt: return as_scalar(scalar_to_int(operands[0]));
    case HostOp::ToFloat: return Scalar(scalar_to_float(operands[0]));
    case HostOp::ToBool: return Scalar(scalar_to_bool(operands[0]));
    default: return mismatch(op);  // of another family
  }
}

}  // namespace dycl
