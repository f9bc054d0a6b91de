// SPDX-License-Identifier: Apache-2.0
#include "base/scalar.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/overloaded.h"

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

constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();

Result<Scalar> int_division(HostOp op, std::int64_t left, std::int64_t right) {
  if (right == 0)
    return raised("ZeroDivisionError",
                  op == HostOp::Mod ? "integer modulo by zero" : "integer division or modulo by zero");
  if (right == -1) {  // the one quotient that overflows, and the processor traps on its remainder
    if (op == HostOp::Mod) return Scalar(std::int64_t{0});
    if (left == kSmallest) return overflow(op, left, right);
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
    default: return mismatch(op);
  }
}

template <class T>
Result<bool> compare(HostOp op, T left, T right) {
  switch (op) {
    case HostOp::Lt: return left < right;
    case HostOp::Le: return left <= right;
    case HostOp::Eq: return left == right;
    case HostOp::Ne: return left != right;
    default: return mismatch(op);
  }
}

Result<Scalar> bool_operation(HostOp op, std::span<const Scalar> operands) {
  for (const Scalar& operand : operands)
    if (!std::holds_alternative<bool>(operand)) return mismatch(op);
  const bool first = std::get<bool>(operands[0]);
  if (op == HostOp::Not) return Scalar(!first);
  const bool second = std::get<bool>(operands[1]);
  return Scalar(op == HostOp::And ? first && second : first || second);
}

std::size_t operand_count(HostOp op) {
  switch (op) {
    case HostOp::Not:
    case HostOp::ToInt:
    case HostOp::ToFloat:
    case HostOp::ToBool: return 1;
    default: return 2;
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
  if (left.index() != right.index()) return mismatch(op);
  return std::visit(
      [&](auto value) -> Result<bool> { return compare(op, value, std::get<decltype(value)>(right)); }, left);
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

Result<Scalar> scalar_operation(HostOp op, std::span<const Scalar> operands) {
  if (operands.size() != operand_count(op)) return mismatch(op);
  switch (op) {
    case HostOp::Add:
    case HostOp::Sub:
    case HostOp::Mul:
    case HostOp::FloorDiv:
    case HostOp::Mod: return scalar_arithmetic(op, operands[0], operands[1]);
    case HostOp::Lt:
    case HostOp::Le:
    case HostOp::Eq:
    case HostOp::Ne: return as_scalar(scalar_compare(op, operands[0], operands[1]));
    case HostOp::And:
    case HostOp::Or:
    case HostOp::Not: return bool_operation(op, operands);
    case HostOp::ToInt: return as_scalar(scalar_to_int(operands[0]));
    case HostOp::ToFloat: return Scalar(scalar_to_float(operands[0]));
    case HostOp::ToBool: return Scalar(scalar_to_bool(operands[0]));
    default: return mismatch(op);
  }
}

}  // namespace dycl
