// SPDX-License-Identifier: Apache-2.0
// Python's arithmetic on ints of 64 bits. A result that needs more raises an OverflowError, because it must
// not wrap; Python's ints have no such limit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "host_rules/raised.h"

namespace dycl::host_rules {

constexpr std::int64_t kSmallestInt = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLargestInt = std::numeric_limits<std::int64_t>::max();
__extension__ using Wide = __int128;

[[noreturn]] inline void raise_overflow(const char* operation, std::int64_t operand) {
  raise_exception("OverflowError",
                  std::string(operation) + "(" + std::to_string(operand) + ") does not fit into 64 bits");
}

[[noreturn]] inline void raise_overflow(const char* operation, std::int64_t left, std::int64_t right) {
  raise_exception("OverflowError", std::string(operation) + "(" + std::to_string(left) + ", " +
                                       std::to_string(right) + ") does not fit into 64 bits");
}

inline std::uint64_t magnitude(std::int64_t number) {
  return number < 0 ? ~static_cast<std::uint64_t>(number) + 1 : static_cast<std::uint64_t>(number);
}

inline std::int64_t add(std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(left, right, &result)) raise_overflow("add", left, right);
  return result;
}

inline std::int64_t sub(std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(left, right, &result)) raise_overflow("sub", left, right);
  return result;
}

inline std::int64_t mul(std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(left, right, &result)) raise_overflow("mul", left, right);
  return result;
}

// Python rounds quotients down, so a remainder has the divisor's sign.
inline bool rounds_down(std::int64_t left, std::int64_t right) {
  const std::int64_t remainder = left % right;
  return remainder != 0 && (remainder < 0) != (right < 0);
}

inline std::int64_t floor_div(std::int64_t left, std::int64_t right) {
  if (right == 0) raise_exception("ZeroDivisionError", "integer division or modulo by zero");
  if (right == -1) {  // the one quotient that overflows, and the processor traps on its remainder
    if (left == kSmallestInt) raise_overflow("floor_div", left, right);
    return -left;
  }
  return left / right - (rounds_down(left, right) ? 1 : 0);
}

inline std::int64_t mod(std::int64_t left, std::int64_t right) {
  if (right == 0) raise_exception("ZeroDivisionError", "integer modulo by zero");
  if (right == -1) return 0;
  return left % right + (rounds_down(left, right) ? right : 0);
}

inline int bit_width(std::uint64_t bits) { return bits == 0 ? 0 : 64 - __builtin_clzll(bits); }

// Rounds once, as Python does.
inline double true_div(std::int64_t left, std::int64_t right) {
  if (right == 0) raise_exception("ZeroDivisionError", "division by zero");
  const std::uint64_t dividend = magnitude(left);
  const std::uint64_t divisor = magnitude(right);
  if (dividend == 0) return right < 0 ? -0.0 : 0.0;
  // At least 55 bits of quotient, the last one sticky: converting it rounds once, half to even.
  const int shift = std::max(0, 55 - bit_width(dividend) + bit_width(divisor));
  __extension__ const auto scaled = static_cast<unsigned __int128>(dividend) << shift;
  auto quotient = static_cast<std::uint64_t>(scaled / divisor);
  if (scaled % divisor != 0) quotient |= 1;
  const double result = std::ldexp(static_cast<double>(quotient), -shift);
  return (left < 0) != (right < 0) ? -result : result;
}

// The exponent is not negative.
inline std::int64_t whole_power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  std::int64_t square = base;
  bool overflows = false;
  for (std::int64_t left = exponent; left != 0;) {
    if ((left & 1) != 0) overflows = __builtin_mul_overflow(result, square, &result) || overflows;
    left >>= 1;
    if (left != 0) overflows = __builtin_mul_overflow(square, square, &square) || overflows;
    if (overflows) raise_overflow("pow", base, exponent);
  }
  return result;
}

inline std::int64_t neg(std::int64_t number) {
  if (number == kSmallestInt) raise_overflow("neg", number);
  return -number;
}

inline std::int64_t abs(std::int64_t number) {
  if (number == kSmallestInt) raise_overflow("abs", number);
  return number < 0 ? -number : number;
}

inline std::int64_t invert(std::int64_t number) { return ~number; }
inline std::int64_t bit_length(std::int64_t number) { return bit_width(magnitude(number)); }

inline std::int64_t bit_and(std::int64_t left, std::int64_t right) { return left & right; }
inline std::int64_t bit_or(std::int64_t left, std::int64_t right) { return left | right; }
inline std::int64_t bit_xor(std::int64_t left, std::int64_t right) { return left ^ right; }
inline bool bit_and(bool left, bool right) { return left && right; }
inline bool bit_or(bool left, bool right) { return left || right; }
inline bool bit_xor(bool left, bool right) { return left != right; }

inline void require_shift_count(std::int64_t count) {
  if (count < 0) raise_exception("ValueError", "negative shift count");
}

inline std::int64_t shl(std::int64_t number, std::int64_t count) {
  require_shift_count(count);
  if (number == 0) return 0;
  const Wide shifted = count > 63 ? Wide{0} : Wide{number} * (Wide{1} << count);
  if (count > 63 || shifted > kLargestInt || shifted < kSmallestInt) raise_overflow("shl", number, count);
  return static_cast<std::int64_t>(shifted);
}

inline std::int64_t shr(std::int64_t number, std::int64_t count) {
  require_shift_count(count);
  if (count > 63) return number < 0 ? -1 : 0;
  return number >> count;
}

// round(number, digits): half to even.
inline std::int64_t round(std::int64_t number, std::int64_t digits) {
  if (digits >= 0) return number;
  if (digits < -19) return 0;
  Wide unit = 1;
  for (std::int64_t place = digits; place != 0; ++place) unit *= 10;
  const Wide size = magnitude(number);
  Wide quotient = size / unit;
  const Wide twice = 2 * (size % unit);
  if (twice > unit || (twice == unit && (quotient & 1) != 0)) ++quotient;
  const Wide result = (number < 0 ? -quotient : quotient) * unit;
  if (result > kLargestInt || result < kSmallestInt) raise_overflow("round", number, digits);
  return static_cast<std::int64_t>(result);
}

}  // namespace dycl::host_rules
