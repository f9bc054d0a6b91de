// SPDX-License-Identifier: Apache-2.0
// Python's format language for bools, ints and floats: what stands between the braces of "{:.3f}".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/scalar.h"

namespace dycl {

// [[fill]align][sign][#][0][width][, or _][.precision][type]
struct FormatSpec {
  std::string fill = " ";  // one character of UTF-8
  char align = 0;          // 0: the kind's own; < > = ^
  char sign = '-';
  bool alternate = false;
  std::size_t width = 0;
  char grouping = 0;
  std::optional<int> precision;
  char type = 0;
};

// One field of a format, and the literal text before it.
struct FormatField {
  std::string literal;
  bool is_field = false;  // false: only the text, at the end
  char conversion = 0;    // r, s, a
  std::string spec;
};
std::vector<FormatField> format_fields(std::string_view format);

// Returns nullopt if Python does not accept the spec for this kind, or if it is not supported here (c, n).
std::optional<FormatSpec> parse_format_spec(std::string_view text, ScalarKind kind);
std::string format_scalar(const FormatSpec& spec, const Scalar& scalar);

}  // namespace dycl
