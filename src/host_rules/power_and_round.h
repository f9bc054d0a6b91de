// SPDX-License-Identifier: Apache-2.0
// Python's powers and its rounding, where Python is exact and C++ is not.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <system_error>

#include "host_rules/floats.h"
#include "host_rules/integers.h"
#include "host_rules/raised.h"
#include "host_rules/repr.h"

namespace dycl::host_rules {

inline bool is_odd(double whole) { return std::fmod(std::fabs(whole), 2.0) == 1.0; }

// Python's cases before it asks the C library, whose answers at the edges differ between systems. Returns
// whether this is one of them.
inline bool special_power(double base, double exponent, double& result) {
  const double size = std::fabs(base);
  if (exponent == 0 || base == 1)
    result = 1.0;
  else if (std::isnan(base))
    result = base;
  else if (std::isnan(exponent))
    result = exponent;
  else if (std::isinf(exponent) && size == 1)
    result = 1.0;
  else if (std::isinf(exponent))
    result = (exponent > 0) == (size > 1) ? kInfinity : 0.0;
  else if (std::isinf(base) && exponent > 0)
    result = is_odd(exponent) ? base : size;
  else if (std::isinf(base))
    result = is_odd(exponent) ? std::copysign(0.0, base) : 0.0;
  else
    return false;
  return true;
}

inline double float_power(double base, double exponent) {
  double special = 0;
  if (special_power(base, exponent, special)) return special;
  const bool odd = is_odd(exponent);
  if (base == 0) {
    if (exponent < 0) raise_exception("ZeroDivisionError", "0.0 cannot be raised to a negative power");
    return odd ? base : 0.0;
  }
  if (base < 0 && exponent != std::floor(exponent))
    raise_exception("ValueError", "a negative number to a fractional power is complex");
  const double size = std::fabs(base);
  const double result = size == 1 ? 1.0 : std::pow(size, exponent);
  if (std::isinf(result)) raise_exception("OverflowError", "(34, 'Numerical result out of range')");
  return base < 0 && odd ? -result : result;
}

// A power of two ints is an int, or a float if the exponent is negative: a program is compiled for one of the
// kinds.
[[noreturn]] inline void raise_other_kind(std::int64_t base, std::int64_t exponent,
                                          const std::string& result) {
  raise_exception("TypeError", repr(base) + " ** " + repr(exponent) + " is " + result +
                                   ", and the program was compiled for the other kind of number");
}

inline std::int64_t power_to_int(std::int64_t base, std::int64_t exponent) {
  if (exponent >= 0) return whole_power(base, exponent);
  raise_other_kind(base, exponent, repr(float_power(to_float(base), to_float(exponent))));
}

inline double power_to_float(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return float_power(to_float(base), to_float(exponent));
  raise_other_kind(base, exponent, repr(whole_power(base, exponent)));
}

inline double power_to_float(double base, double exponent) { return float_power(base, exponent); }

inline std::int64_t round(std::int64_t number) { return number; }
inline std::int64_t round(bool truth) { return to_int(truth); }

// Rounds half to even.
inline std::int64_t round(double number) {
  if (!std::isfinite(number)) return to_int(number);
  const double lower = std::floor(number);
  const double rest = number - lower;
  return to_int(rest > 0.5 || (rest == 0.5 && is_odd(lower)) ? lower + 1 : lower);
}

// The decimal digits of a whole multiple of 10^places, rounded half to even on the exact value.
inline double round_to_tens(double number, int places) {
  const double whole = std::trunc(number);
  std::string digits = printed(std::fabs(whole), std::chars_format::fixed, 0);
  const auto cut = static_cast<std::size_t>(places);
  if (digits.size() < cut) return std::copysign(0.0, number);
  std::string result = "0" + digits.substr(0, digits.size() - cut);
  const std::string rest = digits.substr(digits.size() - cut);
  const bool beyond = rest.find_first_not_of('0', 1) != std::string::npos || number != whole;
  const bool odd = ((result.back() - '0') & 1) != 0;
  const bool up = rest[0] > '5' || (rest[0] == '5' && (beyond || odd));
  for (std::size_t at = result.size(); up && at-- > 0;) {
    if (result[at] != '9') {
      ++result[at];
      break;
    }
    result[at] = '0';
  }
  result += std::string(cut, '0');
  double rounded = 0;
  const auto read = std::from_chars(result.data(), result.data() + result.size(), rounded);
  if (read.ec != std::errc{}) rounded = kInfinity;
  return std::copysign(rounded, number);
}

inline double round_to_digits(double number, int digits) {
  const std::string text = printed(number, std::chars_format::fixed, digits);
  double rounded = 0;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

// round(number, digits)
inline double round(double number, std::int64_t digits) {
  constexpr int kMostDigits = 323;  // beyond these every double is its own rounding, or zero
  constexpr int kFewestDigits = -308;
  if (!std::isfinite(number) || digits > kMostDigits) return number;
  if (digits < kFewestDigits) return 0.0 * number;
  const double rounded = digits >= 0 ? round_to_digits(number, static_cast<int>(digits))
                                     : round_to_tens(number, static_cast<int>(-digits));
  if (std::isinf(rounded)) raise_exception("OverflowError", "rounded value too large to represent");
  return rounded;
}

}  // namespace dycl::host_rules
