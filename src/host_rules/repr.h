// SPDX-License-Identifier: Apache-2.0
// What Python's repr() writes of numbers.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace dycl::host_rules {

// The longest text has 309 digits before the point and 400 behind it.
inline std::string printed(double number, std::chars_format format, int precision) {
  std::array<char, 1200> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format, precision).ptr;
  return {buffer.data(), end};
}

// The shortest digits that read back as the same number, and the place of the point behind the first.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

inline Decimal shortest_decimal(double magnitude) {
  std::array<char, 64> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude, std::chars_format::scientific)
          .ptr;
  const std::string text(buffer.data(), end);
  const std::size_t e = text.find('e');
  Decimal decimal;
  for (const char character : text.substr(0, e))
    if (character != '.') decimal.digits += character;
  const char* first = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(first, text.data() + text.size(), decimal.exponent);
  return decimal;
}

// Python writes an exponent below 1e-4 and from 1e16 on, and ".0" behind whole numbers.
inline std::string repr(double number) {
  if (std::isnan(number)) return "nan";
  const std::string sign = std::signbit(number) ? "-" : "";
  if (std::isinf(number)) return sign + "inf";
  auto [digits, exponent] = shortest_decimal(std::fabs(number));
  if (exponent < -4 || exponent >= 16) {
    if (digits.size() > 1) digits.insert(1, ".");
    const std::string size = std::to_string(std::abs(exponent));
    return sign + digits + (exponent < 0 ? "e-" : "e+") + (size.size() < 2 ? "0" : "") + size;
  }
  if (exponent < 0) return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0') + ".0";
  return sign + digits.insert(whole, ".");
}

inline std::string repr(bool truth) { return truth ? "True" : "False"; }
inline std::string repr(std::int64_t integer) { return std::to_string(integer); }

}  // namespace dycl::host_rules
