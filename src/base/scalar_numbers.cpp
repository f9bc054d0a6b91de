// SPDX-License-Identifier: Apache-2.0
// Division, powers, rounding and comparison where Python is exact and C++ is not.
#include "base/scalar_numbers.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace dycl {
namespace {

using Wide = __int128;

std::uint64_t magnitude(std::int64_t number) {
  return number < 0 ? ~static_cast<std::uint64_t>(number) + 1 : static_cast<std::uint64_t>(number);
}

bool is_odd(double whole) { return std::fmod(std::fabs(whole), 2.0) == 1.0; }

// Python's cases before it asks the C library, whose answers at the edges differ between systems.
std::optional<double> special_power(double base, double exponent) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (exponent == 0 || base == 1) return 1.0;
  if (std::isnan(base)) return base;
  if (std::isnan(exponent)) return exponent;
  if (std::isinf(exponent)) {
    const double size = std::fabs(base);
    if (size == 1) return 1.0;
    return (exponent > 0) == (size > 1) ? kInfinity : 0.0;
  }
  if (std::isinf(base)) {
    const bool odd = is_odd(exponent);
    if (exponent > 0) return odd ? base : std::fabs(base);
    return odd ? std::copysign(0.0, base) : 0.0;
  }
  return std::nullopt;
}

// The decimal digits of a whole multiple of 10^-digits, rounded half to even on the exact value.
double round_to_tens(double number, int places) {
  std::array<char, 400> buffer{};  // 309 digits before the point, and a bit of what follows
  const double whole = std::trunc(number);
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(whole),
                                 std::chars_format::fixed, 0)
                       .ptr;
  std::string digits(buffer.data(), end);
  const auto cut = static_cast<std::size_t>(places);
  if (digits.size() < cut) return std::copysign(0.0, number);
  const std::string kept = "0" + digits.substr(0, digits.size() - cut);
  const std::string rest = digits.substr(digits.size() - cut);
  const bool beyond = rest.find_first_not_of('0', 1) != std::string::npos || number != whole;
  const bool odd = ((kept.back() - '0') & 1) != 0;
  const bool up = rest[0] > '5' || (rest[0] == '5' && (beyond || odd));
  std::string result = kept;
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
  if (read.ec != std::errc{}) rounded = std::numeric_limits<double>::infinity();
  return std::copysign(rounded, number);
}

double round_to_digits(double number, int digits) {
  std::array<char, 800> buffer{};  // 309 digits, the point and up to 323 more
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed, digits)
          .ptr;
  double rounded = 0;
  std::from_chars(buffer.data(), end, rounded);
  return rounded;
}

}  // namespace

double true_divide(std::int64_t left, std::int64_t right) {
  const std::uint64_t dividend = magnitude(left);
  const std::uint64_t divisor = magnitude(right);
  if (dividend == 0) return right < 0 ? -0.0 : 0.0;
  // At least 55 bits of quotient, the last one sticky: converting it rounds once, half to even.
  const int shift = std::max(
      0, 55 - static_cast<int>(std::bit_width(dividend)) + static_cast<int>(std::bit_width(divisor)));
  const auto scaled = static_cast<unsigned __int128>(dividend) << shift;
  auto quotient = static_cast<std::uint64_t>(scaled / divisor);
  if (scaled % divisor != 0) quotient |= 1;
  const double result = std::ldexp(static_cast<double>(quotient), -shift);
  return (left < 0) != (right < 0) ? -result : result;
}

Result<Scalar> int_power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return float_power(static_cast<double>(base), static_cast<double>(exponent));
  std::int64_t result = 1;
  std::int64_t square = base;
  bool overflows = false;
  for (std::int64_t left = exponent; left != 0;) {
    if ((left & 1) != 0) overflows = __builtin_mul_overflow(result, square, &result) || overflows;
    left >>= 1;
    if (left != 0) overflows = __builtin_mul_overflow(square, square, &square) || overflows;
    if (overflows)
      return raised("OverflowError", fmt::format("pow({}, {}) does not fit into 64 bits", base, exponent));
  }
  return Scalar(result);
}

Result<Scalar> float_power(double base, double exponent) {
  if (const auto special = special_power(base, exponent)) return Scalar(*special);
  const bool odd = is_odd(exponent);
  if (base == 0) {
    if (exponent < 0) return raised("ZeroDivisionError", "0.0 cannot be raised to a negative power");
    return Scalar(odd ? base : 0.0);
  }
  if (base < 0 && exponent != std::floor(exponent))
    return raised("ValueError", "a negative number to a fractional power is complex");
  const double size = std::fabs(base);
  const double result = size == 1 ? 1.0 : std::pow(size, exponent);
  if (std::isinf(result)) return raised("OverflowError", "(34, 'Numerical result out of range')");
  return Scalar(base < 0 && odd ? -result : result);
}

Result<Scalar> round_to_int(double number) {
  if (!std::isfinite(number))
    return scalar_to_int(number).map([](std::int64_t whole) { return Scalar(whole); });
  const double lower = std::floor(number);
  const double rest = number - lower;
  const bool up = rest > 0.5 || (rest == 0.5 && is_odd(lower));
  return scalar_to_int(up ? lower + 1 : lower).map([](std::int64_t whole) { return Scalar(whole); });
}

Result<Scalar> round_float(double number, std::int64_t digits) {
  constexpr int kMostDigits = 323;  // beyond these every double is its own rounding, or zero
  constexpr int kFewestDigits = -308;
  if (!std::isfinite(number) || digits > kMostDigits) return Scalar(number);
  if (digits < kFewestDigits) return Scalar(0.0 * number);
  const double rounded = digits >= 0 ? round_to_digits(number, static_cast<int>(digits))
                                     : round_to_tens(number, static_cast<int>(-digits));
  if (std::isinf(rounded)) return raised("OverflowError", "rounded value too large to represent");
  return Scalar(rounded);
}

Result<Scalar> round_int(std::int64_t number, std::int64_t digits) {
  if (digits >= 0) return Scalar(number);
  if (digits < -19) return Scalar(std::int64_t{0});
  Wide unit = 1;
  for (std::int64_t place = digits; place != 0; ++place) unit *= 10;
  const Wide size = magnitude(number);
  Wide quotient = size / unit;
  const Wide twice = 2 * (size % unit);
  if (twice > unit || (twice == unit && (quotient & 1) != 0)) ++quotient;
  const Wide result = (number < 0 ? -quotient : quotient) * unit;
  if (result > kLargestInt || result < kSmallestInt)
    return raised("OverflowError", fmt::format("round({}, {}) does not fit into 64 bits", number, digits));
  return Scalar(static_cast<std::int64_t>(result));
}

std::partial_ordering compare_exactly(std::int64_t left, double right) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (std::isnan(right)) return std::partial_ordering::unordered;
  if (right >= kLimit) return std::partial_ordering::less;
  if (right < -kLimit) return std::partial_ordering::greater;
  const double whole = std::floor(right);
  const auto floor = static_cast<std::int64_t>(whole);
  if (left != floor) return left <=> floor;
  return right > whole ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

Result<Scalar> shift(HostOp op, std::int64_t number, std::int64_t count) {
  if (count < 0) return raised("ValueError", "negative shift count");
  if (op == HostOp::Shr) return Scalar(count > 63 ? (number < 0 ? -1 : std::int64_t{0}) : number >> count);
  const Wide shifted = number == 0 || count > 63 ? Wide{number} : Wide{number} * (Wide{1} << count);
  if ((number != 0 && count > 63) || shifted > kLargestInt || shifted < kSmallestInt)
    return raised("OverflowError", fmt::format("shl({}, {}) does not fit into 64 bits", number, count));
  return Scalar(static_cast<std::int64_t>(shifted));
}

}  // namespace dycl
