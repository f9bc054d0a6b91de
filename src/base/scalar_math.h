// SPDX-License-Identifier: Apache-2.0
// Functions of Python's math module on floats, with CPython's results, domains and messages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "base/scalar.h"

namespace dycl {

enum class MathFunction : std::uint8_t {
  Acos,
  Acosh,
  Asin,
  Asinh,
  Atan,
  Atanh,
  Cbrt,
  Cos,
  Cosh,
  Degrees,
  Erf,
  Erfc,
  Exp,
  Exp2,
  Expm1,
  Fabs,
  IsFinite,
  IsInf,
  IsNan,
  Log,
  Log10,
  Log1p,
  Log2,
  Radians,
  Sin,
  Sinh,
  Sqrt,
  Tan,
  Tanh,
  Atan2,
  Copysign,
  Fmod,
  Hypot,
  NextAfter,
  Pow,
  Remainder,
};

std::optional<MathFunction> math_function_from_name(std::string_view name);  // "sqrt", as in math.sqrt

bool takes(MathFunction function, std::size_t operands);  // log takes one or two
ScalarKind result_of(MathFunction function);              // float, or bool (isnan, isinf, isfinite)

Result<Scalar> scalar_math(MathFunction function, std::span<const Scalar> operands);

}  // namespace dycl
