// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dycl {

std::string to_hex(std::span<const std::byte> bytes);
std::optional<std::vector<std::byte>> from_hex(std::string_view text);  // lower case, even length

// The number's `digits` hex digits, most significant first.
std::string to_hex(std::uint64_t bits, std::size_t digits);
std::optional<std::uint64_t> bits_from_hex(std::string_view text, std::size_t digits);

}  // namespace dycl
