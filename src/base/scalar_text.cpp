// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "base/overloaded.h"
#include "base/scalar.h"

namespace dycl {
namespace {

// The shortest digits that read back as the same number, and the place of the point behind the first.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

Decimal shortest_decimal(double magnitude) {
  std::array<char, 64> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude, std::chars_format::scientific)
          .ptr;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t e = text.find('e');
  Decimal decimal;
  for (const char character : text.substr(0, e))
    if (character != '.') decimal.digits += character;
  const char* first = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(first, text.data() + text.size(), decimal.exponent);
  return decimal;
}

// Python writes an exponent below 1e-4 and from 1e16 on, and ".0" behind whole numbers.
std::string float_repr(double number) {
  if (std::isnan(number)) return "nan";
  const std::string sign = std::signbit(number) ? "-" : "";
  if (std::isinf(number)) return sign + "inf";
  auto [digits, exponent] = shortest_decimal(std::fabs(number));
  if (exponent < -4 || exponent >= 16) {
    if (digits.size() > 1) digits.insert(1, ".");
    return fmt::format("{}{}e{}{:02}", sign, digits, exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0) return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0') + ".0";
  return sign + digits.insert(whole, ".");
}

// Calls `literal` for each character and `placeholder` for each "{}" of a raise's format.
template <class Literal, class Placeholder>
void walk_format(std::string_view format, const Literal& literal, const Placeholder& placeholder) {
  for (std::size_t at = 0; at < format.size(); ++at) {
    const std::string_view pair = format.substr(at, 2);
    if (pair == "{}")
      placeholder();
    else
      literal(format[at]);
    if (pair == "{}" || pair == "{{" || pair == "}}") ++at;
  }
}

}  // namespace

std::string repr(const Scalar& scalar) {
  return std::visit(Overloaded{
                        [](bool truth) { return std::string(truth ? "True" : "False"); },
                        [](std::int64_t integer) { return std::to_string(integer); },
                        [](double number) { return float_repr(number); },
                    },
                    scalar);
}

std::size_t placeholder_count(std::string_view format) {
  std::size_t count = 0;
  walk_format(format, [](char) {}, [&] { ++count; });
  return count;
}

Result<std::string> format_message(std::string_view format, std::span<const Scalar> scalars) {
  if (placeholder_count(format) != scalars.size())
    return fail(Blame::Internal, "scalar.format",
                fmt::format("the message \"{}\" does not take {} scalars", format, scalars.size()));
  std::string message;
  std::size_t next = 0;
  walk_format(
      format, [&](char character) { message += character; }, [&] { message += repr(scalars[next++]); });
  return message;
}

}  // namespace dycl
