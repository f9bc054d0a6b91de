// SPDX-License-Identifier: Apache-2.0
#include "base/scalar_math.h"

#include <array>

#include "base/by_rule.h"
#include "host_rules/math_functions.h"

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

Failure takes_floats() { return fail(Blame::Internal, "scalar.types", "a function of math takes floats"); }

Result<Scalar> unary(MathFunction function, double x) {
  return by_rule([&]() -> Scalar {
    switch (function) {
      case MathFunction::Acos: return host_rules::math_acos(x);
      case MathFunction::Acosh: return host_rules::math_acosh(x);
      case MathFunction::Asin: return host_rules::math_asin(x);
      case MathFunction::Asinh: return host_rules::math_asinh(x);
      case MathFunction::Atan: return host_rules::math_atan(x);
      case MathFunction::Atanh: return host_rules::math_atanh(x);
      case MathFunction::Cbrt: return host_rules::math_cbrt(x);
      case MathFunction::Cos: return host_rules::math_cos(x);
      case MathFunction::Cosh: return host_rules::math_cosh(x);
      case MathFunction::Degrees: return host_rules::math_degrees(x);
      case MathFunction::Erf: return host_rules::math_erf(x);
      case MathFunction::Erfc: return host_rules::math_erfc(x);
      case MathFunction::Exp: return host_rules::math_exp(x);
      case MathFunction::Exp2: return host_rules::math_exp2(x);
      case MathFunction::Expm1: return host_rules::math_expm1(x);
      case MathFunction::Fabs: return host_rules::math_fabs(x);
      case MathFunction::IsFinite: return host_rules::math_isfinite(x);
      case MathFunction::IsInf: return host_rules::math_isinf(x);
      case MathFunction::IsNan: return host_rules::math_isnan(x);
      case MathFunction::Log: return host_rules::math_log(x);
      case MathFunction::Log10: return host_rules::math_log10(x);
      case MathFunction::Log1p: return host_rules::math_log1p(x);
      case MathFunction::Log2: return host_rules::math_log2(x);
      case MathFunction::Radians: return host_rules::math_radians(x);
      case MathFunction::Sin: return host_rules::math_sin(x);
      case MathFunction::Sinh: return host_rules::math_sinh(x);
      case MathFunction::Sqrt: return host_rules::math_sqrt(x);
      case MathFunction::Tan: return host_rules::math_tan(x);
      case MathFunction::Tanh: return host_rules::math_tanh(x);
      case MathFunction::Atan2:
      case MathFunction::Copysign:
      case MathFunction::Fmod:
      case MathFunction::Hypot:
      case MathFunction::NextAfter:
      case MathFunction::Pow:
      case MathFunction::Remainder: break;
    }
    internal_error("a function of two numbers was given one");
  });
}

Result<Scalar> binary(MathFunction function, double x, double y) {
  return by_rule([&]() -> Scalar {
    switch (function) {
      case MathFunction::Atan2: return host_rules::math_atan2(x, y);
      case MathFunction::Copysign: return host_rules::math_copysign(x, y);
      case MathFunction::Fmod: return host_rules::math_fmod(x, y);
      case MathFunction::Hypot: return host_rules::math_hypot(x, y);
      case MathFunction::NextAfter: return host_rules::math_nextafter(x, y);
      case MathFunction::Pow: return host_rules::math_pow(x, y);
      case MathFunction::Remainder: return host_rules::math_remainder(x, y);
      case MathFunction::Log: return host_rules::math_log(x, y);
      default: internal_error("a function of one number was given two");
    }
  });
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
