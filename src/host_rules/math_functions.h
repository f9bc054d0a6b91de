// SPDX-License-Identifier: Apache-2.0
// Functions of Python's math module on floats, with CPython's results, domains and messages.
#pragma once

#include <cmath>

#include "host_rules/floats.h"
#include "host_rules/raised.h"

namespace dycl::host_rules {

constexpr double kPi = 3.141592653589793238462643383279502884;

[[noreturn]] inline void raise_domain_error() { raise_exception("ValueError", "math domain error"); }
[[noreturn]] inline void raise_range_error() { raise_exception("OverflowError", "math range error"); }

// What was true of the operands.
struct Operands {
  explicit Operands(double x) : had_nan(std::isnan(x)), had_infinity(std::isinf(x)) {}
  Operands(double x, double y)
      : had_nan(std::isnan(x) || std::isnan(y)), had_infinity(std::isinf(x) || std::isinf(y)) {}
  bool had_nan;
  bool had_infinity;
};

// A NaN out of no NaN is outside the domain; an infinity out of finite numbers is an overflow for functions
// that grow without bound, and a pole for the others.
inline double bounded(double result, Operands of) {
  if (std::isnan(result) && !of.had_nan) raise_domain_error();
  if (std::isinf(result) && !of.had_nan && !of.had_infinity) raise_domain_error();
  return result;
}

inline double growing(double result, Operands of) {
  if (std::isinf(result) && !of.had_nan && !of.had_infinity) raise_range_error();
  return bounded(result, of);
}

inline double math_acos(double x) { return bounded(std::acos(x), Operands(x)); }
inline double math_acosh(double x) { return bounded(std::acosh(x), Operands(x)); }
inline double math_asin(double x) { return bounded(std::asin(x), Operands(x)); }
inline double math_asinh(double x) { return bounded(std::asinh(x), Operands(x)); }
inline double math_atan(double x) { return bounded(std::atan(x), Operands(x)); }
inline double math_atanh(double x) { return bounded(std::atanh(x), Operands(x)); }
inline double math_cbrt(double x) { return bounded(std::cbrt(x), Operands(x)); }
inline double math_cos(double x) { return bounded(std::cos(x), Operands(x)); }
inline double math_cosh(double x) { return growing(std::cosh(x), Operands(x)); }
inline double math_degrees(double x) { return x * (180.0 / kPi); }
inline double math_erf(double x) { return bounded(std::erf(x), Operands(x)); }
inline double math_erfc(double x) { return bounded(std::erfc(x), Operands(x)); }
inline double math_exp(double x) { return growing(std::exp(x), Operands(x)); }
inline double math_exp2(double x) { return growing(std::exp2(x), Operands(x)); }
inline double math_expm1(double x) { return growing(std::expm1(x), Operands(x)); }
inline double math_fabs(double x) { return std::fabs(x); }
inline bool math_isfinite(double x) { return std::isfinite(x); }
inline bool math_isinf(double x) { return std::isinf(x); }
inline bool math_isnan(double x) { return std::isnan(x); }
inline double math_log1p(double x) { return bounded(x == 0 ? x : std::log1p(x), Operands(x)); }
inline double math_radians(double x) { return x * (kPi / 180.0); }
inline double math_sin(double x) { return bounded(std::sin(x), Operands(x)); }
inline double math_sinh(double x) { return growing(std::sinh(x), Operands(x)); }
inline double math_sqrt(double x) { return bounded(std::sqrt(x), Operands(x)); }
inline double math_tan(double x) { return bounded(std::tan(x), Operands(x)); }
inline double math_tanh(double x) { return bounded(std::tanh(x), Operands(x)); }

inline double positive(double x) {
  if (x <= 0) raise_domain_error();
  return x;
}
inline double math_log(double x) { return std::isnan(x) ? x : std::log(positive(x)); }
inline double math_log10(double x) { return std::isnan(x) ? x : std::log10(positive(x)); }
inline double math_log2(double x) { return std::isnan(x) ? x : std::log2(positive(x)); }
inline double math_log(double x, double base) {
  const double numerator = math_log(x);
  return true_div(numerator, math_log(base));
}

inline double math_atan2(double x, double y) { return std::atan2(x, y); }
inline double math_copysign(double x, double y) { return std::copysign(x, y); }
inline double math_nextafter(double x, double y) { return std::nextafter(x, y); }
inline double math_fmod(double x, double y) { return bounded(std::fmod(x, y), Operands(x, y)); }
inline double math_remainder(double x, double y) { return bounded(std::remainder(x, y), Operands(x, y)); }

// Rounded once: a sum of squares in the wider format, away from its overflow and underflow.
inline double math_hypot(double x, double y) {
  if (std::isinf(x) || std::isinf(y)) return kInfinity;
  const long double wide_x = x;
  const long double wide_y = y;
  const auto result = static_cast<double>(std::sqrt(wide_x * wide_x + wide_y * wide_y));
  return growing(result, Operands(x, y));
}

inline double math_pow(double x, double y) {
  const double result = std::pow(x, y);
  if (!std::isfinite(x) || !std::isfinite(y) || std::isfinite(result)) return result;
  if (std::isnan(result) || x == 0) raise_domain_error();
  raise_range_error();
}

}  // namespace dycl::host_rules
