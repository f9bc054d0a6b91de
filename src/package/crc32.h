// SPDX-License-Identifier: Apache-2.0
// The checksum that zip files carry (reflected polynomial 0xEDB88320).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dycl {

// Continues `crc` (0 at first) over more bytes.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t crc = 0);

}  // namespace dycl
