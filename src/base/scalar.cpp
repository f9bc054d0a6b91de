// SPDX-License-Identifier: Apache-2.0
#include "base/scalar.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/host_op_signature.h"
#include "base/overloaded.h"
#include "base/scalar_math.h"
#include "base/scalar_numbers.h"

namespace dycl {
namespace {

// The verifier lets no such operation through; a hostile host plan must still not crash.
Failure mismatch(HostOp op) {
  return fail(Blame::Internal, "scalar.types",
              fmt::format("'{}' cannot take scalars of these kinds", name_of(op)));
}

Failure overflow(HostOp op, std::int64_t left, std::int64_t right) {
  return raised("OverflowError",
                fmt::format("{}({}, {}) does not fit into 64 bits", name_of(op), left, right));
}

Result<Scalar> int_division(HostOp op, std::int64_t left, std::int64_t right) {
  if (right == 0)
    return raised("ZeroDivisionError",
                  op == HostOp::Mod ? "integer modulo by zero" : "integer division or modulo by zero");
  if (right == -1) {  // the one quotient that overflows, and the processor traps on its remainder
    if (op == HostOp::Mod) return Scalar(std::int64_t{0});
    if (left == kSmallestInt) return overflow(op, left, right);
    return Scalar(-left);
  }
  const std::int64_t remainder = left % right;
  const bool rounds_down = remainder != 0 && (remainder < 0) != (right < 0);
  if (op == HostOp::Mod) return Scalar(rounds_down ? remainder + right : remainder);
  return Scalar(left / right - (rounds_down ? 1 : 0));
}

Result<Scalar> int_arithmetic(HostOp op, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  bool overflows = false;
  switch (op) {
    case HostOp::Add: overflows = __builtin_add_overflow(left, right, &result); break;
    case HostOp::Sub: overflows = __builtin_sub_overflow(left, right, &result); break;
    case HostOp::Mul: overflows = __builtin_mul_overflow(left, right, &result); break;
    case HostOp::FloorDiv:
    case HostOp::Mod: return int_division(op, left, right);
    case HostOp::Pow: return int_power(left, right);
    case HostOp::TrueDiv:
      if (right == 0) return raised("ZeroDivisionError", "division by zero");
      return Scalar(true_divide(left, right));
    default: return mismatch(op);
  }
  if (overflows) return overflow(op, left, right);
  return Scalar(result);
}

struct FloatDivision {
  double quotient;
  double remainder;
};

// Python's rules: the remainder has the divisor's sign (a zero too), the quotient follows from it.
FloatDivision float_division(double left, double right) {
  double remainder = std::fmod(left, right);
  double quotient = (left - remainder) / right;
  if (remainder != 0) {
    if ((right < 0) != (remainder < 0)) {
      remainder += right;
      quotient -= 1;
    }
  } else {
    remainder = std::copysign(0.0, right);
  }
  if (quotient == 0) return {std::copysign(0.0, left / right), remainder};
  double rounded = std::floor(quotient);
  if (quotient - rounded > 0.5) rounded += 1;
  return {rounded, remainder};
}

Result<Scalar> float_arithmetic(HostOp op, double left, double right) {
  switch (op) {
    case HostOp::Add: return Scalar(left + right);
    case HostOp::Sub: return Scalar(left - right);
    case HostOp::Mul: return Scalar(left * right);
    case HostOp::FloorDiv:
      if (right == 0) return raised("ZeroDivisionError", "float floor division by zero");
      return Scalar(float_division(left, right).quotient);
    case HostOp::Mod:
      if (right == 0) return raised("ZeroDivisionError", "float modulo");
      return Scalar(float_division(left, right).remainder);
    case HostOp::TrueDiv:
      if (right == 0) return raised("ZeroDivisionError", "float division by zero");
      return Scalar(left / right);
    case HostOp::Pow: return float_power(left, right);
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

std::partial_ordering order_of(const Scalar& left, const Scalar& right) {
  const auto* left_float = std::get_if<double>(&left);
  const auto* right_float = std::get_if<double>(&right);
  const auto integer = [](const Scalar& scalar) {
    const auto* truth = std::get_if<bool>(&scalar);
    return truth == nullptr ? std::get<std::int64_t>(scalar) : std::int64_t{*truth};
  };
  if (left_float != nullptr && right_float != nullptr) return *left_float <=> *right_float;
  if (right_float != nullptr) return compare_exactly(integer(left), *right_float);
  if (left_float != nullptr) return 0 <=> compare_exactly(integer(right), *left_float);
  return integer(left) <=> integer(right);
}

Result<Scalar> unary_number(HostOp op, const Scalar& operand) {
  if (const auto* number = std::get_if<double>(&operand)) {
    if (op == HostOp::Neg) return Scalar(-*number);
    if (op == HostOp::Abs) return Scalar(std::fabs(*number));
    return mismatch(op);
  }
  const auto* integer = std::get_if<std::int64_t>(&operand);
  if (integer == nullptr) return mismatch(op);
  if (op == HostOp::Invert) return Scalar(~*integer);
  if (op == HostOp::Abs && *integer >= 0) return Scalar(*integer);
  if (*integer == kSmallestInt)
    return raised("OverflowError", fmt::format("{}({}) does not fit into 64 bits", name_of(op), *integer));
  return Scalar(-*integer);
}

Result<Scalar> bit_length(const Scalar& operand) {
  const auto* integer = std::get_if<std::int64_t>(&operand);
  if (integer == nullptr) return mismatch(HostOp::BitLength);
  const auto bits = static_cast<std::uint64_t>(*integer);
  return Scalar(static_cast<std::int64_t>(std::bit_width(*integer < 0 ? 0 - bits : bits)));
}

template <class T>
Result<Scalar> bits(HostOp op, T left, T right) {
  switch (op) {
    case HostOp::BitAnd: return Scalar(static_cast<T>(left & right));
    case HostOp::BitOr: return Scalar(static_cast<T>(left | right));
    case HostOp::BitXor: return Scalar(static_cast<T>(left ^ right));
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
  return number == nullptr || count == nullptr ? mismatch(op) : shift(op, *number, *count);
}

Result<Scalar> to_whole(HostOp op, const Scalar& operand) {
  const auto* number = std::get_if<double>(&operand);
  if (number == nullptr) return as_scalar(scalar_to_int(operand));
  const double whole = op == HostOp::Floor  ? std::floor(*number)
                       : op == HostOp::Ceil ? std::ceil(*number)
                                            : *number;
  return as_scalar(scalar_to_int(whole));
}

Result<Scalar> round_operation(std::span<const Scalar> operands) {
  const auto* number = std::get_if<double>(&operands[0]);
  if (operands.size() == 1)
    return number == nullptr ? as_scalar(scalar_to_int(operands[0])) : round_to_int(*number);
  const auto* digits = std::get_if<std::int64_t>(&operands[1]);
  if (digits == nullptr || std::holds_alternative<bool>(operands[0])) return mismatch(HostOp::Round);
  return number == nullptr ? round_int(std::get<std::int64_t>(operands[0]), *digits)
                           : round_float(*number, *digits);
}

// Two ints to a negative power are a float: a graph was compiled for one of the kinds.
Result<Scalar> power(const Scalar& left, const Scalar& right, const ScalarContext& context) {
  auto result = scalar_arithmetic(HostOp::Pow, left, right);
  if (!result || !context.result || kind_of(*result) == *context.result) return result;
  return raised("TypeError",
                fmt::format("{} ** {} is {}, and the program was compiled for the other kind of number",
                            repr(left), repr(right), repr(*result)));
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
  const std::partial_ordering order = order_of(left, right);
  switch (op) {
    case HostOp::Lt: return order < 0;
    case HostOp::Le: return order <= 0;
    case HostOp::Gt: return order > 0;
    case HostOp::Ge: return order >= 0;
    case HostOp::Eq: return order == 0;
    case HostOp::Ne: return order != 0;
    default: return mismatch(op);
  }
}

Result<std::int64_t> scalar_to_int(const Scalar& scalar) {
  if (const auto* truth = std::get_if<bool>(&scalar)) return *truth ? 1 : 0;
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) return *integer;
  const double number = std::get<double>(scalar);
  if (std::isnan(number)) return raised("ValueError", "cannot convert float NaN to integer");
  if (std::isinf(number)) return raised("OverflowError", "cannot convert float infinity to integer");
  constexpr double kLimit = 9223372036854775808.0;  // 2^63; its negative still fits
  if (number >= kLimit || number < -kLimit)
    return raised("OverflowError", fmt::format("float {} does not fit into 64 bits", repr(scalar)));
  return static_cast<std::int64_t>(number);
}

double scalar_to_float(const Scalar& scalar) {
  return std::visit([](auto value) { return static_cast<double>(value); }, scalar);
}

bool scalar_to_bool(const Scalar& scalar) {
  return std::visit([](auto value) { return value != decltype(value){}; }, scalar);
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
