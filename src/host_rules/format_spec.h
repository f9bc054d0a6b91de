// SPDX-License-Identifier: Apache-2.0
// Reads Python's format language for bools, ints and floats: what stands between the braces of "{:.3f}".
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace dycl::host_rules {

// [[fill]align][sign][#][0][width][, or _][.precision][type]
struct FormatSpec {
  std::string fill = " ";  // one character of UTF-8
  char align = 0;          // 0: the kind's own; < > = ^
  char sign = '-';
  bool alternate = false;
  std::size_t width = 0;
  char grouping = 0;
  std::optional<int> precision = {};
  char type = 0;
};

// One field of a format, and the literal text before it.
struct FormatField {
  std::string literal;
  bool is_field = false;  // false: only the text, at the end
  char conversion = 0;    // r, s, a
  std::string spec;
};

constexpr std::size_t kWidest = 4096;
constexpr int kMostPrecise = 400;

inline bool is_one_of(char character, std::string_view choices) {
  return character != 0 && choices.find(character) != std::string_view::npos;
}

inline bool is_float_type(char type) { return is_one_of(type, "eEfFgG%"); }
inline bool is_base_type(char type) { return is_one_of(type, "boxX"); }

inline std::vector<FormatField> format_fields(std::string_view format) {
  std::vector<FormatField> fields(1);
  for (std::size_t at = 0; at < format.size();) {
    const std::string_view rest = format.substr(at);
    if (rest.substr(0, 2) == "{{" || rest.substr(0, 2) == "}}") {
      fields.back().literal += rest[0];
      at += 2;
      continue;
    }
    const std::size_t close = rest[0] == '{' ? rest.find('}') : std::string_view::npos;
    std::string_view inside = close == std::string_view::npos ? "?" : rest.substr(1, close - 1);
    char conversion = 0;
    if (inside.size() >= 2 && inside[0] == '!' && is_one_of(inside[1], "rsa")) {
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

inline std::size_t character_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(length, text.size());
}

inline std::optional<std::size_t> take_number(std::string_view& text) {
  std::size_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return number;
}

inline char take_one_of(std::string_view& text, std::string_view choices) {
  if (text.empty() || !is_one_of(text[0], choices)) return 0;
  const char taken = text[0];
  text.remove_prefix(1);
  return taken;
}

inline bool fits_kind(const FormatSpec& spec, bool is_float) {
  const bool floats = is_float || is_float_type(spec.type);
  const bool known =
      spec.type == 0 || is_float_type(spec.type) || (!is_float && is_one_of(spec.type, "dboxX"));
  if (!known || (!floats && spec.precision)) return false;
  return !(spec.grouping == ',' && is_base_type(spec.type));
}

// Returns nullopt if Python does not accept the spec for this kind, or if it is not supported here (c, n).
inline std::optional<FormatSpec> parse_format_spec(std::string_view text, bool is_float) {
  FormatSpec spec;
  const std::size_t fill = character_length(text);
  bool filled = false;
  if (fill < text.size() && is_one_of(text[fill], "<>=^")) {
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
  if (!text.empty() || spec.width > kWidest || !fits_kind(spec, is_float)) return std::nullopt;
  return spec;
}

}  // namespace dycl::host_rules
