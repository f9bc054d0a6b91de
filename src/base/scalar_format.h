// SPDX-License-Identifier: Apache-2.0
// Python's format language for scalars: what stands between the braces of "{:.3f}".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/scalar.h"
#include "host_rules/format.h"

namespace dycl {

using host_rules::format_fields;
using host_rules::FormatField;
using host_rules::FormatSpec;

// Returns nullopt if Python does not accept the spec for this kind, or if it is not supported here (c, n).
inline std::optional<FormatSpec> parse_format_spec(std::string_view text, ScalarKind kind) {
  return host_rules::parse_format_spec(text, kind == ScalarKind::F64);
}

inline std::string format_scalar(const FormatSpec& spec, const Scalar& scalar) {
  return std::visit([&](auto number) { return host_rules::format_number(spec, number); }, scalar);
}

}  // namespace dycl
