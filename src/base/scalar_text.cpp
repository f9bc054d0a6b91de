// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/overloaded.h"
#include "base/scalar.h"
#include "base/scalar_format.h"

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

// One field: its conversion, then its spec. A conversion makes a text of it, which is padded on the right.
Result<std::string> field_text(const FormatField& field, const Scalar& scalar) {
  if (field.spec.empty()) return repr(scalar);
  const auto spec = parse_format_spec(field.spec, kind_of(scalar));
  if (field.conversion == 0 && spec) return format_scalar(*spec, scalar);
  return fail(Blame::Internal, "scalar.format", fmt::format("the format '{}' is not supported", field.spec));
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

std::size_t placeholder_count(std::string_view format) { return format_fields(format).size() - 1; }

std::string format_defect(std::string_view format, std::span<const ScalarKind> kinds) {
  const std::vector<FormatField> fields = format_fields(format);
  if (fields.size() - 1 != kinds.size())
    return fmt::format("the message has {} places for {} scalars", fields.size() - 1, kinds.size());
  for (std::size_t index = 0; index < kinds.size(); ++index) {
    const FormatField& field = fields[index];
    if (field.spec.empty()) continue;
    if (field.conversion != 0 || !parse_format_spec(field.spec, kinds[index]))
      return fmt::format("the message's field '{}' is not a format of its scalar", field.spec);
  }
  return {};
}

std::size_t shown_count(std::string_view format, std::size_t scalars, const ResultTree& attributes) {
  return attributes == nullptr ? scalars : std::min(placeholder_count(format), scalars);
}

std::string defect_of_raise(std::string_view format, std::span<const ScalarKind> kinds,
                            const ResultTree& attributes) {
  const std::size_t shown = shown_count(format, kinds.size(), attributes);
  if (std::string defect = format_defect(format, kinds.first(shown)); !defect.empty()) return defect;
  if (attributes == nullptr) return {};
  if (!std::holds_alternative<ResultDict>(*attributes)) return "the attributes of the exception are no dict";
  if (holds_argument(*attributes)) return "an attribute of the exception is an object of the caller's";
  return tree_defect(*attributes, kinds.size() - shown);
}

Result<std::string> format_message(std::string_view format, std::span<const Scalar> scalars) {
  const std::vector<FormatField> fields = format_fields(format);
  if (fields.size() - 1 != scalars.size())
    return fail(Blame::Internal, "scalar.format",
                fmt::format("the message \"{}\" does not take {} scalars", format, scalars.size()));
  std::string message;
  for (std::size_t index = 0; index < fields.size(); ++index) {
    message += fields[index].literal;
    if (!fields[index].is_field) continue;
    auto text = field_text(fields[index], scalars[index]);
    if (!text) return text;
    message += *text;
  }
  return message;
}

}  // namespace dycl
