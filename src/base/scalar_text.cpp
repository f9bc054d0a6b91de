// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/scalar.h"
#include "base/scalar_format.h"
#include "host_rules/repr.h"

namespace dycl {
namespace {

// One field: its conversion, then its spec. A conversion makes a text of it, which is padded on the right.
Result<std::string> field_text(const FormatField& field, const Scalar& scalar) {
  if (field.spec.empty()) return repr(scalar);
  const auto spec = parse_format_spec(field.spec, kind_of(scalar));
  if (field.conversion == 0 && spec) return format_scalar(*spec, scalar);
  return fail(Blame::Internal, "scalar.format", fmt::format("the format '{}' is not supported", field.spec));
}

}  // namespace

std::string repr(const Scalar& scalar) {
  return std::visit([](auto number) { return host_rules::repr(number); }, scalar);
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
