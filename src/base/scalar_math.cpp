// SPDX-License-Identifier: Apache-2.0
#include "base/scalar_math.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace dycl {
namespace {

struct FunctionName {
  std::string_view name;
  MathFunction function;
};

constexpr std::array kFunctions{
    FunctionName{"acos", MathFunction::Acos},         FunctionName{"acosh", MathFunction::Acosh},
    FunctionName{"asin", MathFunction::Asin},         FunctionName{"asinh", MathFunction::Asinh},
    FunctionName{"atan", MathFunction::Atan},         FunctionName{"atanh", MathFunction::Atanh},
    FunctionName{"cbrt", MathFunction::Cbrt},         FunctionName{"cos", MathFunction::Cos},
    FunctionName{"cosh", MathFunction::Cosh},         FunctionName{"degrees", MathFunction::Degrees},
    FunctionName{"erf", MathFunction::Erf},           FunctionName{"erfc", MathFunction::Erfc},
    FunctionName{"exp", MathFunction::Exp},           FunctionName{"exp2", MathFunction::Exp2},
    FunctionName{"expm1", MathFunction::Expm1},       FunctionName{"fabs", MathFunction::Fabs},
    FunctionName{"isfinite", MathFunction::IsFinite}, FunctionName{"isinf", MathFunction::IsInf},
    FunctionName{"isnan", MathFunction::IsNan},       FunctionName{"log", MathFunction::Log},
    FunctionName{"log10", MathFunction::Log10},       FunctionName{"log1p", MathFunction::Log1p},
    FunctionName{"log2", MathFunction::Log2},         FunctionName{"radians", MathFunction::Radians},
    FunctionName{"sin", MathFunction::Sin},           FunctionName{"sinh", MathFunction::Sinh},
    FunctionName{"sqrt", MathFunction::Sqrt},         FunctionName{"tan", MathFunction::Tan},
    FunctionName{"tanh", MathFunction::Tanh},         FunctionName{"atan2", MathFunction::Atan2},
    FunctionName{"copysign", MathFunction::Copysign}, FunctionName{"fmod", MathFunction::Fmod},
    FunctionName{"hypot", MathFunction::Hypot},       FunctionName{"nextafter", MathFunction::NextAfter},
    FunctionName{"pow", MathFunction::Pow},           FunctionName{"remainder", MathFunction::Remainder},
};

Failure domain_error() { return raised("ValueError", "math domain error"); }
Failure range_error() { return raised("OverflowError", "math range error"); }

// A NaN out of no NaN is outside the domain; an infinity out of finite numbers is an overflow for
// functions that grow without bound, and a pole for the others.
Result<Scalar> checked(double result, bool had_nan, bool had_infinity, bool grows) {
  if (std::isnan(result) && !had_nan) return domain_error();
  if (std::isinf(result) && !had_nan && !had_infinity) {
    if (grows) return range_error();
    return domain_error();
  }
  return Scalar(result);
}

Result<Scalar> logarithm(double number, double (*function)(double)) {
  if (std::isnan(number)) return Scalar(number);
  if (number <= 0) return domain_error();
  return Scalar(function(number));
}

Result<Scalar> logarithm_to_base(double number, double base) {
  const auto numerator = logarithm(number, std::log);
  if (!numerator) return numerator;
  const auto denominator = logarithm(base, std::log);
  if (!denominator) return denominator;
  if (std::get<double>(*denominator) == 0) return raised("ZeroDivisionError", "float division by zero");
  return Scalar(std::get<double>(*numerator) / std::get<double>(*denominator));
}

Failure takes_floats() { return fail(Blame::Internal, "scalar.types", "a function of math takes floats"); }

Result<Scalar> unary(MathFunction function, double x) {
  const auto bounded = [&](double result) { return checked(result, std::isnan(x), std::isinf(x), false); };
  const auto growing = [&](double result) { return checked(result, std::isnan(x), std::isinf(x), true); };
  switch (function) {
    case MathFunction::Acos: return bounded(std::acos(x));
    case MathFunction::Acosh: return bounded(std::acosh(x));
    case MathFunction::Asin: return bounded(std::asin(x));
    case MathFunction::Asinh: return bounded(std::asinh(x));
    case MathFunction::Atan: return bounded(std::atan(x));
    case MathFunction::Atanh: return bounded(std::atanh(x));
    case MathFunction::Cbrt: return bounded(std::cbrt(x));
    case MathFunction::Cos: return bounded(std::cos(x));
    case MathFunction::Cosh: return growing(std::cosh(x));
    case MathFunction::Degrees: return Scalar(x * (180.0 / std::numbers::pi));
    case MathFunction::Erf: return bounded(std::erf(x));
    case MathFunction::Erfc: return bounded(std::erfc(x));
    case MathFunction::Exp: return growing(std::exp(x));
    case MathFunction::Exp2: return growing(std::exp2(x));
    case MathFunction::Expm1: return growing(std::expm1(x));
    case MathFunction::Fabs: return bounded(std::fabs(x));
    case MathFunction::IsFinite: return Scalar(static_cast<bool>(std::isfinite(x)));
    case MathFunction::IsInf: return Scalar(static_cast<bool>(std::isinf(x)));
    case MathFunction::IsNan: return Scalar(static_cast<bool>(std::isnan(x)));
    case MathFunction::Log: return logarithm(x, std::log);
    case MathFunction::Log10: return logarithm(x, std::log10);
    case MathFunction::Log1p: return bounded(x == 0 ? x : std::log1p(x));
    case MathFunction::Log2: return logarithm(x, std::log2);
    case MathFunction::Radians: return Scalar(x * (std::numbers::pi / 180.0));
    case MathFunction::Sin: return bounded(std::sin(x));
    case MathFunction::Sinh: return growing(std::sinh(x));
    case MathFunction::Sqrt: return bounded(std::sqrt(x));
    case MathFunction::Tan: return bounded(std::tan(x));
    case MathFunction::Tanh: return bounded(std::tanh(x));
    case MathFunction::Atan2:
    case MathFunction::Copysign:
    case MathFunction::Fmod:
    case MathFunction::Hypot:
    case MathFunction::NextAfter:
    case MathFunction::Pow:
    case MathFunction::Remainder: break;
  }
  return takes_floats();
}

// Rounded once: a sum of squares in the wider format, away from its overflow and underflow.
double hypotenuse(double x, double y) {
  if (std::isinf(x) || std::isinf(y)) return std::numeric_limits<double>::infinity();
  const long double wide_x = x;
  const long double wide_y = y;
  return static_cast<double>(std::sqrt(wide_x * wide_x + wide_y * wide_y));
}

Result<Scalar> power(double x, double y) {
  const double result = std::pow(x, y);
  if (!std::isfinite(x) || !std::isfinite(y) || std::isfinite(result)) return Scalar(result);
  if (std::isnan(result) || x == 0) return domain_error();
  return range_error();
}

Result<Scalar> binary(MathFunction function, double x, double y) {
  const bool had_nan = std::isnan(x) || std::isnan(y);
  const bool had_infinity = std::isinf(x) || std::isinf(y);
  switch (function) {
    case MathFunction::Atan2: return Scalar(std::atan2(x, y));
    case MathFunction::Copysign: return Scalar(std::copysign(x, y));
    case MathFunction::NextAfter: return Scalar(std::nextafter(x, y));
    case MathFunction::Fmod: return checked(std::fmod(x, y), had_nan, had_infinity, false);
    case MathFunction::Remainder: return checked(std::remainder(x, y), had_nan, had_infinity, false);
    case MathFunction::Hypot: return checked(hypotenuse(x, y), had_nan, had_infinity, true);
    case MathFunction::Pow: return power(x, y);
    case MathFunction::Log: return logarithm_to_base(x, y);
    default: return takes_floats();  // one of the others, which take one
  }
}

bool is_binary(MathFunction function) { return function >= MathFunction::Atan2; }

}  // namespace

std::optional<MathFunction> math_function_from_name(std::string_view name) {
  for (const auto& [candidate, function] : kFunctions)
    if (candidate == name) return function;
  return std::nullopt;
}

bool takes(MathFunction function, std::size_t operands) {
  if (function == MathFunction::Log) return operands == 1 || operands == 2;
  return operands == (is_binary(function) ? 2U : 1U);
}

ScalarKind result_of(MathFunction function) {
  switch (function) {
    case MathFunction::IsFinite:
    case MathFunction::IsInf:
    case MathFunction::IsNan: return ScalarKind::Bool;
    default: return ScalarKind::F64;
  }
}

Result<Scalar> scalar_math(MathFunction function, std::span<const Scalar> operands) {
  bool floats = takes(function, operands.size());
  for (const Scalar& operand : operands) floats = floats && std::holds_alternative<double>(operand);
  if (!floats) return takes_floats();
  const double first = std::get<double>(operands[0]);
  return operands.size() == 1 ? unary(function, first)
                              : binary(function, first, std::get<double>(operands[1]));
}

}  // namespace dycl
