// SPDX-License-Identifier: Apache-2.0
#include "hcfg/text_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace dycl {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Length of the UTF-8 sequence that begins here, 0 if there is none. Overlong forms, surrogates and
// values beyond Unicode are not UTF-8.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t at = 1; at < length; ++at)
    if ((byte(at) & 0xC0U) != 0x80U) return 0;
  if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F)) return 0;
  if ((lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F)) return 0;
  return length;
}

std::string escaped(char character) {
  switch (character) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\t': return "\\t";
    default: return fmt::format("\\x{:02x}", static_cast<unsigned char>(character));
  }
}

bool needs_escape(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

std::string well_formed(std::string_view hint, UniqueNames::Style style) {
  std::string name(hint);
  for (char& character : name)
    if (!is_name_character(character)) character = '_';
  if (style == UniqueNames::Style::Symbol && !name.empty() && !is_identifier(name)) name.insert(0, "_");
  if (name.empty()) name = style == UniqueNames::Style::Symbol ? "n" : "v";
  return name;
}

}  // namespace

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '.';
}

bool is_identifier(std::string_view text) {
  return !text.empty() && !is_digit(text[0]) && text[0] != '.' &&
         std::ranges::all_of(text, is_name_character);
}

std::string identifier_or_quoted(std::string_view text) {
  return is_identifier(text) ? std::string(text) : quoted(text);
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0 || needs_escape(text[0]))
      result += escaped(text[0]);
    else
      result += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result + '"';
}

const std::string& UniqueNames::name(std::size_t index, std::string_view hint) {
  std::string& name = names_[index];
  if (!name.empty()) return name;
  const std::string base = well_formed(hint, style_);
  name = base;
  while (!taken_.insert(name).second) name = fmt::format("{}_{}", base, ++next_suffix_[base]);
  return name;
}

}  // namespace dycl
