// SPDX-License-Identifier: Apache-2.0
#include "package/crc32.h"

#include <array>

namespace dycl {
namespace {

constexpr std::size_t kStride = 8;  // bytes per step: weights may be gigabytes
using Tables = std::array<std::array<std::uint32_t, 256>, kStride>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1U) ^ ((value & 1U) != 0 ? 0xEDB88320U : 0U);
    tables[0][byte] = value;
  }
  for (std::size_t byte = 0; byte < 256; ++byte)
    for (std::size_t step = 1; step < kStride; ++step) {
      const std::uint32_t previous = tables[step - 1][byte];
      tables[step][byte] = (previous >> 8U) ^ tables[0][previous & 0xFFU];
    }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t crc) {
  crc = ~crc;
  const auto at = [&bytes](std::size_t index) { return std::to_integer<std::uint32_t>(bytes[index]); };
  for (; bytes.size() >= kStride; bytes = bytes.subspan(kStride)) {
    const std::uint32_t low = crc ^ (at(0) | at(1) << 8U | at(2) << 16U | at(3) << 24U);
    crc = kTables[7][low & 0xFFU] ^ kTables[6][(low >> 8U) & 0xFFU] ^ kTables[5][(low >> 16U) & 0xFFU] ^
          kTables[4][low >> 24U] ^ kTables[3][at(4)] ^ kTables[2][at(5)] ^ kTables[1][at(6)] ^
          kTables[0][at(7)];
  }
  for (const std::byte byte : bytes)
    crc = (crc >> 8U) ^ kTables[0][(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xFFU];
  return ~crc;
}

}  // namespace dycl
