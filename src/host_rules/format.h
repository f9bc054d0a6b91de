// SPDX-License-Identifier: Apache-2.0
// Writes bools, ints and floats as Python's format() does.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "host_rules/floats.h"
#include "host_rules/format_spec.h"
#include "host_rules/integers.h"
#include "host_rules/repr.h"

namespace dycl::host_rules {

// Text of a number in parts, so that padding and grouping can go between them.
struct NumberText {
  std::string prefix;  // sign and 0x
  std::string digits;  // before the point
  std::string rest;    // point, fraction, exponent, %
};

inline std::string sign_of(bool negative, char sign) {
  if (negative) return "-";
  return sign == '-' ? "" : std::string(1, sign);
}

inline NumberText split_point(const std::string& text, const std::string& prefix) {
  const std::size_t end = text.find_first_not_of("0123456789");
  if (end == std::string::npos) return {prefix, text, ""};
  return {prefix, text.substr(0, end), text.substr(end)};
}

inline std::string with_point(std::string text, bool wanted) {
  if (!wanted || text.find('.') != std::string::npos) return text;
  return text.insert(std::min(text.find('e'), text.size()), ".");
}

// %g, and with `dot_zero` the form without a type: ".0" behind whole numbers, an exponent one place earlier.
inline std::string general(double size, int precision, bool alternate, bool dot_zero) {
  precision = std::max(precision, 1);
  const std::string scientific = printed(size, std::chars_format::scientific, precision - 1);
  const std::size_t e = scientific.find('e');
  int exponent = 0;
  const char* first = scientific.data() + e + (scientific[e + 1] == '+' ? 2 : 1);
  std::from_chars(first, scientific.data() + scientific.size(), exponent);
  const bool use_exponent = exponent < -4 || exponent >= precision - (dot_zero ? 1 : 0);
  std::string mantissa = use_exponent
                             ? scientific.substr(0, e)
                             : printed(size, std::chars_format::fixed, std::max(0, precision - 1 - exponent));
  if (!alternate && mantissa.find('.') != std::string::npos) {
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.back() == '.') mantissa.pop_back();
  }
  if (use_exponent) return with_point(mantissa + scientific.substr(e), alternate);
  if (dot_zero && mantissa.find('.') == std::string::npos) mantissa += alternate ? "." : ".0";
  return with_point(mantissa, alternate);
}

inline std::string float_digits(const FormatSpec& spec, double size) {
  const int precision = spec.precision.value_or(6);
  switch (spec.type) {
    case 'f':
    case 'F':
    case '%': return with_point(printed(size, std::chars_format::fixed, precision), spec.alternate);
    case 'e':
    case 'E': return with_point(printed(size, std::chars_format::scientific, precision), spec.alternate);
    case 'g':
    case 'G': return general(size, precision, spec.alternate, false);
    default: break;
  }
  return spec.precision ? general(size, precision, spec.alternate, true) : repr(size);
}

inline NumberText float_text(const FormatSpec& spec, double number) {
  const double shown = spec.type == '%' ? number * 100 : number;
  const std::string prefix = sign_of(std::signbit(shown) && !std::isnan(shown), spec.sign);
  std::string text = std::isnan(shown)   ? "nan"
                     : std::isinf(shown) ? "inf"
                                         : float_digits(spec, std::fabs(shown));
  if (is_one_of(spec.type, "EFG"))
    for (char& character : text)
      character = static_cast<char>(std::toupper(static_cast<unsigned char>(character)));
  if (spec.type == '%') text += '%';
  return split_point(text, prefix);
}

inline std::string digits_in(std::uint64_t number, char type) {
  const int base = type == 'b' ? 2 : type == 'o' ? 8 : type == 'x' || type == 'X' ? 16 : 10;
  std::array<char, 64> buffer{};
  std::string text(buffer.data(),
                   std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, base).ptr);
  if (type == 'X')
    for (char& character : text)
      character = static_cast<char>(std::toupper(static_cast<unsigned char>(character)));
  return text;
}

inline NumberText int_text(const FormatSpec& spec, std::int64_t number) {
  std::string prefix = sign_of(number < 0, spec.sign);
  if (spec.alternate && is_base_type(spec.type)) prefix += std::string("0") + spec.type;
  return {prefix, digits_in(magnitude(number), spec.type), ""};
}

inline std::string grouped(const std::string& digits, char separator, std::size_t every) {
  std::string text;
  for (std::size_t index = 0; index < digits.size(); ++index) {
    if (index != 0 && (digits.size() - index) % every == 0) text += separator;
    text += digits[index];
  }
  return text;
}

// Zeros that fill a grouped number are grouped, too.
inline void group(NumberText& text, const FormatSpec& spec, bool zero_filled) {
  if (spec.grouping == 0 || text.digits.empty()) return;
  const std::size_t every = is_base_type(spec.type) ? 4 : 3;
  const std::size_t others = text.prefix.size() + text.rest.size();
  const std::size_t wanted = zero_filled && spec.width > others ? spec.width - others : 0;
  while (text.digits.size() + (text.digits.size() - 1) / every < wanted) text.digits.insert(0, "0");
  text.digits = grouped(text.digits, spec.grouping, every);
}

inline std::string repeated(const std::string& fill, std::size_t times) {
  std::string text;
  for (; times > 0; --times) text += fill;
  return text;
}

inline std::string padded(const NumberText& text, const FormatSpec& spec, char align) {
  const std::string body = text.digits + text.rest;
  const std::size_t length = text.prefix.size() + body.size();
  const std::size_t room = spec.width > length ? spec.width - length : 0;
  switch (align) {
    case '<': return text.prefix + body + repeated(spec.fill, room);
    case '^':
      return repeated(spec.fill, room / 2) + text.prefix + body + repeated(spec.fill, room - room / 2);
    case '=': return text.prefix + repeated(spec.fill, room) + body;
    default: return repeated(spec.fill, room) + text.prefix + body;
  }
}

inline std::string finish(NumberText text, const FormatSpec& spec) {
  const char align = spec.align == 0 ? '>' : spec.align;
  group(text, spec, spec.fill == "0" && align == '=');
  return padded(text, spec, align);
}

inline std::string format_number(const FormatSpec& spec, double number) {
  return finish(float_text(spec, number), spec);
}

inline std::string format_number(const FormatSpec& spec, std::int64_t number) {
  if (is_float_type(spec.type)) return format_number(spec, to_float(number));
  return finish(int_text(spec, number), spec);
}

inline std::string format_number(const FormatSpec& spec, bool truth) {
  return format_number(spec, to_int(truth));
}

// The text of "{:spec}" or "{}".
template <class T>
std::string formatted(T number, std::string_view spec) {
  if (spec.empty()) return repr(number);
  const auto parsed = parse_format_spec(spec, std::is_floating_point_v<T>);
  if (!parsed) throw Unable{"scalar.format", "the format '" + std::string(spec) + "' is not supported"};
  return format_number(*parsed, number);
}

}  // namespace dycl::host_rules
