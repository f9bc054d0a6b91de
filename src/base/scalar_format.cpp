// SPDX-License-Identifier: Apache-2.0
#include "base/scalar_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace dycl {
namespace {

constexpr std::size_t kWidest = 4096;
constexpr int kMostPrecise = 400;

bool is_align(char character) { return std::string_view("<>=^").find(character) != std::string_view::npos; }

std::size_t character_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(length, text.size());
}

std::optional<std::size_t> take_number(std::string_view& text) {
  std::size_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return number;
}

char take_one_of(std::string_view& text, std::string_view choices) {
  if (text.empty() || choices.find(text[0]) == std::string_view::npos) return 0;
  const char taken = text[0];
  text.remove_prefix(1);
  return taken;
}

bool is_float_type(char type) {
  return type != 0 && std::string_view("eEfFgG%").find(type) != std::string_view::npos;
}

bool fits_kind(const FormatSpec& spec, ScalarKind kind) {
  const bool floats = kind == ScalarKind::F64 || is_float_type(spec.type);
  const bool known =
      spec.type == 0 || is_float_type(spec.type) ||
      (kind != ScalarKind::F64 && std::string_view("dboxX").find(spec.type) != std::string_view::npos);
  if (!known || (!floats && spec.precision)) return false;
  const bool bases = spec.type != 0 && std::string_view("boxX").find(spec.type) != std::string_view::npos;
  return !(spec.grouping == ',' && bases);
}

// Text of a number in parts, so that padding and grouping can go between them.
struct NumberText {
  std::string prefix;  // sign and 0x
  std::string digits;  // before the point
  std::string rest;    // point, fraction, exponent, %
};

std::string sign_of(bool negative, char sign) {
  if (negative) return "-";
  return sign == '-' ? "" : std::string(1, sign);
}

NumberText split_point(std::string text, std::string prefix) {
  const std::size_t end = text.find_first_not_of("0123456789");
  if (end == std::string::npos) return {std::move(prefix), std::move(text), ""};
  return {std::move(prefix), text.substr(0, end), text.substr(end)};
}

std::string printed(double magnitude, std::chars_format format, int precision) {
  std::array<char, 1200> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude, format, precision).ptr;
  return {buffer.data(), end};
}

std::string with_point(std::string text, bool wanted) {
  if (!wanted || text.find('.') != std::string::npos) return text;
  return text.insert(std::min(text.find('e'), text.size()), ".");
}

// %g, and with `dot_zero` the form without a type: ".0" behind whole numbers, an exponent one place earlier.
std::string general(double magnitude, int precision, bool alternate, bool dot_zero) {
  precision = std::max(precision, 1);
  const std::string scientific = printed(magnitude, std::chars_format::scientific, precision - 1);
  const std::size_t e = scientific.find('e');
  int exponent = 0;
  const char* first = scientific.data() + e + (scientific[e + 1] == '+' ? 2 : 1);
  std::from_chars(first, scientific.data() + scientific.size(), exponent);
  const bool use_exponent = exponent < -4 || exponent >= precision - (dot_zero ? 1 : 0);
  std::string mantissa =
      use_exponent ? scientific.substr(0, e)
                   : printed(magnitude, std::chars_format::fixed, std::max(0, precision - 1 - exponent));
  if (!alternate && mantissa.find('.') != std::string::npos) {
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.back() == '.') mantissa.pop_back();
  }
  if (use_exponent) return with_point(mantissa + scientific.substr(e), alternate);
  if (dot_zero && mantissa.find('.') == std::string::npos) mantissa += alternate ? "." : ".0";
  return with_point(std::move(mantissa), alternate);
}

std::string float_digits(const FormatSpec& spec, double magnitude) {
  const int precision = spec.precision.value_or(6);
  switch (spec.type) {
    case 'f':
    case 'F':
    case '%': return with_point(printed(magnitude, std::chars_format::fixed, precision), spec.alternate);
    case 'e':
    case 'E': return with_point(printed(magnitude, std::chars_format::scientific, precision), spec.alternate);
    case 'g':
    case 'G': return general(magnitude, precision, spec.alternate, false);
    default: break;
  }
  if (spec.precision) return general(magnitude, precision, spec.alternate, true);
  return repr(Scalar(magnitude));
}

NumberText float_text(const FormatSpec& spec, double number) {
  const double shown = spec.type == '%' ? number * 100 : number;
  const bool upper = spec.type == 'E' || spec.type == 'F' || spec.type == 'G';
  const std::string prefix = sign_of(std::signbit(shown) && !std::isnan(shown), spec.sign);
  std::string text = std::isnan(shown)   ? "nan"
                     : std::isinf(shown) ? "inf"
                                         : float_digits(spec, std::fabs(shown));
  if (upper)
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (spec.type == '%') text += '%';
  return split_point(std::move(text), prefix);
}

NumberText int_text(const FormatSpec& spec, std::int64_t number) {
  const std::uint64_t size =
      number < 0 ? ~static_cast<std::uint64_t>(number) + 1 : static_cast<std::uint64_t>(number);
  std::string prefix = sign_of(number < 0, spec.sign);
  switch (spec.type) {
    case 'b': return {prefix + (spec.alternate ? "0b" : ""), fmt::format("{:b}", size), ""};
    case 'o': return {prefix + (spec.alternate ? "0o" : ""), fmt::format("{:o}", size), ""};
    case 'x': return {prefix + (spec.alternate ? "0x" : ""), fmt::format("{:x}", size), ""};
    case 'X': return {prefix + (spec.alternate ? "0X" : ""), fmt::format("{:X}", size), ""};
    default: return {std::move(prefix), fmt::format("{}", size), ""};
  }
}

std::string grouped(const std::string& digits, char separator, std::size_t every) {
  std::string text;
  for (std::size_t index = 0; index < digits.size(); ++index) {
    if (index != 0 && (digits.size() - index) % every == 0) text += separator;
    text += digits[index];
  }
  return text;
}

// Zeros that fill a grouped number are grouped too.
void group(NumberText& text, const FormatSpec& spec, bool zero_filled) {
  if (spec.grouping == 0 || text.digits.empty()) return;
  const bool bases = spec.type != 0 && std::string_view("boxX").find(spec.type) != std::string_view::npos;
  const std::size_t every = bases ? 4 : 3;
  const std::size_t others = text.prefix.size() + text.rest.size();
  const std::size_t wanted = zero_filled && spec.width > others ? spec.width - others : 0;
  while (text.digits.size() + (text.digits.size() - 1) / every < wanted) text.digits.insert(0, "0");
  text.digits = grouped(text.digits, spec.grouping, every);
}

std::string repeated(const std::string& fill, std::size_t times) {
  std::string text;
  for (; times > 0; --times) text += fill;
  return text;
}

std::string padded(const NumberText& text, const FormatSpec& spec, char align) {
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

}  // namespace

std::vector<FormatField> format_fields(std::string_view format) {
  std::vector<FormatField> fields(1);
  for (std::size_t at = 0; at < format.size();) {
    const std::string_view rest = format.substr(at);
    if (rest.starts_with("{{") || rest.starts_with("}}")) {
      fields.back().literal += rest[0];
      at += 2;
      continue;
    }
    const std::size_t close = rest[0] == '{' ? rest.find('}') : std::string_view::npos;
    std::string_view inside = close == std::string_view::npos ? "?" : rest.substr(1, close - 1);
    char conversion = 0;
    if (inside.size() >= 2 && inside[0] == '!' &&
        std::string_view("rsa").find(inside[1]) != std::string_view::npos) {
      conversion = inside[1];
      inside.remove_prefix(2);
    }
    if (!inside.empty() && (inside[0] != ':' || inside.find('{') != std::string_view::npos)) {
      fields.back().literal += format[at++];
      continue;
    }
    fields.back().is_field = true;
    fields.back().conversion = conversion;
    fields.back().spec = inside.empty() ? "" : std::string(inside.substr(1));
    fields.emplace_back();
    at += close + 1;
  }
  return fields;
}

std::optional<FormatSpec> parse_format_spec(std::string_view text, ScalarKind kind) {
  FormatSpec spec;
  const std::size_t fill = character_length(text);
  bool filled = false;
  if (fill < text.size() && is_align(text[fill])) {
    spec.fill = std::string(text.substr(0, fill));
    spec.align = text[fill];
    text.remove_prefix(fill + 1);
    filled = true;
  } else {
    spec.align = take_one_of(text, "<>=^");
  }
  if (const char sign = take_one_of(text, "+- ")) spec.sign = sign;
  spec.alternate = take_one_of(text, "#") != 0;
  if (!filled && take_one_of(text, "0") != 0) {
    spec.fill = "0";
    if (spec.align == 0) spec.align = '=';
  }
  spec.width = take_number(text).value_or(0);
  spec.grouping = take_one_of(text, ",_");
  if (take_one_of(text, ".") != 0) {
    const auto precision = take_number(text);
    if (!precision || *precision > kMostPrecise) return std::nullopt;
    spec.precision = static_cast<int>(*precision);
  }
  spec.type = take_one_of(text, "dboxXeEfFgG%");
  if (!text.empty() || spec.width > kWidest || !fits_kind(spec, kind)) return std::nullopt;
  return spec;
}

std::string format_scalar(const FormatSpec& spec, const Scalar& scalar) {
  const bool as_float = std::holds_alternative<double>(scalar) || is_float_type(spec.type);
  NumberText text = as_float ? float_text(spec, scalar_to_float(scalar))
                             : int_text(spec, scalar_to_int(scalar).value_or(0));
  const char align = spec.align == 0 ? '>' : spec.align;
  group(text, spec, spec.fill == "0" && align == '=');
  return padded(text, spec, align);
}

}  // namespace dycl
