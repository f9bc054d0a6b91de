// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace dycl {
namespace {

// Length of the sequence that `lead` begins, 0 if it begins none.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

// Overlong forms, surrogates and what lies beyond U+10FFFF.
bool is_forbidden(std::uint32_t code, std::size_t length) {
  return (length == 3 && code < 0x800) || (length == 4 && code < 0x10000) || code > 0x10FFFF ||
         (code >= 0xD800 && code <= 0xDFFF);
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t index = 0; index < text.size();) {
    const auto lead = static_cast<unsigned char>(text[index]);
    const std::size_t length = sequence_length(lead);
    if (length == 0 || length > text.size() - index) return false;
    std::uint32_t code = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t offset = 1; offset < length; ++offset) {
      const auto next = static_cast<unsigned char>(text[index + offset]);
      if ((next & 0xC0U) != 0x80U) return false;
      code = code << 6U | (next & 0x3FU);
    }
    if (is_forbidden(code, length)) return false;
    index += length;
  }
  return true;
}

std::string as_utf8(std::string text) {
  if (!is_utf8(text))
    std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return text;
}

}  // namespace dycl
