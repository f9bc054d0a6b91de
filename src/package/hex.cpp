// SPDX-License-Identifier: Apache-2.0
#include "package/hex.h"

namespace dycl {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

std::optional<unsigned> digit_of(char c) {
  const std::size_t digit = kDigits.find(c);
  if (digit == std::string_view::npos) return std::nullopt;
  return static_cast<unsigned>(digit);
}

}  // namespace

std::string to_hex(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4U];
    text += kDigits[std::to_integer<unsigned>(byte) & 15U];
  }
  return text;
}

std::optional<std::vector<std::byte>> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t index = 0; index < text.size(); index += 2) {
    const auto high = digit_of(text[index]);
    const auto low = digit_of(text[index + 1]);
    if (!high || !low) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(*high << 4U | *low));
  }
  return bytes;
}

std::string to_hex(std::uint64_t bits, std::size_t digits) {
  std::string text(digits, '0');
  for (std::size_t index = digits; index-- > 0; bits >>= 4U) text[index] = kDigits[bits & 15U];
  return text;
}

std::optional<std::uint64_t> bits_from_hex(std::string_view text, std::size_t digits) {
  if (text.size() != digits) return std::nullopt;
  std::uint64_t bits = 0;
  for (const char c : text) {
    const auto digit = digit_of(c);
    if (!digit) return std::nullopt;
    bits = bits << 4U | *digit;
  }
  return bits;
}

}  // namespace dycl
