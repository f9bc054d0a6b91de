// SPDX-License-Identifier: Apache-2.0
// Python's arithmetic on floats, and its conversions between bools, ints and floats.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "host_rules/integers.h"
#include "host_rules/raised.h"
#include "host_rules/repr.h"

namespace dycl::host_rules {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTwoTo63 = 9223372036854775808.0;

inline double add(double left, double right) { return left + right; }
inline double sub(double left, double right) { return left - right; }
inline double mul(double left, double right) { return left * right; }
inline double neg(double number) { return -number; }
inline double abs(double number) { return std::fabs(number); }

struct FloatDivision {
  double quotient;
  double remainder;
};

// Python's rules: the remainder has the divisor's sign (a zero too), the quotient follows from it.
inline FloatDivision divide(double left, double right) {
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

inline double floor_div(double left, double right) {
  if (right == 0) raise_exception("ZeroDivisionError", "float floor division by zero");
  return divide(left, right).quotient;
}

inline double mod(double left, double right) {
  if (right == 0) raise_exception("ZeroDivisionError", "float modulo");
  return divide(left, right).remainder;
}

inline double true_div(double left, double right) {
  if (right == 0) raise_exception("ZeroDivisionError", "float division by zero");
  return left / right;
}

inline std::int64_t to_int(bool truth) { return truth ? 1 : 0; }
inline std::int64_t to_int(std::int64_t integer) { return integer; }

// Truncates a float to an int.
inline std::int64_t to_int(double number) {
  if (std::isnan(number)) raise_exception("ValueError", "cannot convert float NaN to integer");
  if (std::isinf(number)) raise_exception("OverflowError", "cannot convert float infinity to integer");
  if (number >= kTwoTo63 || number < -kTwoTo63)
    raise_exception("OverflowError", "float " + repr(number) + " does not fit into 64 bits");
  return static_cast<std::int64_t>(number);
}

template <class T>
double to_float(T scalar) {
  return static_cast<double>(scalar);
}

template <class T>
bool to_bool(T scalar) {
  return scalar != T{};
}

inline std::int64_t floor(double number) { return to_int(std::floor(number)); }
inline std::int64_t ceil(double number) { return to_int(std::ceil(number)); }
inline std::int64_t trunc(double number) { return to_int(number); }
inline std::int64_t floor(std::int64_t number) { return number; }
inline std::int64_t ceil(std::int64_t number) { return number; }
inline std::int64_t trunc(std::int64_t number) { return number; }

}  // namespace dycl::host_rules
