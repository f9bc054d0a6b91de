// SPDX-License-Identifier: Apache-2.0
#include "base/packed_elements.h"

namespace dycl {

std::vector<std::byte> pack_elements(std::span<const std::byte> wide, std::size_t bits) {
  const std::size_t per_byte = 8 / bits;
  const std::byte mask{static_cast<unsigned char>((1u << bits) - 1)};
  std::vector<std::byte> packed((wide.size() + per_byte - 1) / per_byte, std::byte{0});
  for (std::size_t index = 0; index < wide.size(); ++index)
    packed[index / per_byte] |= (wide[index] & mask) << (bits * (index % per_byte));
  return packed;
}

std::vector<std::byte> unpack_elements(std::span<const std::byte> packed, DType dtype, std::size_t count) {
  const std::size_t bits = bit_width(dtype);
  const std::size_t per_byte = 8 / bits;
  const unsigned sign = dtype == DType::I4 || dtype == DType::I2 ? 1u << (bits - 1) : 0;
  std::vector<std::byte> wide(count);
  for (std::size_t index = 0; index < count; ++index) {
    const unsigned shifted =
        std::to_integer<unsigned>(packed[index / per_byte]) >> (bits * (index % per_byte));
    const unsigned value = shifted & ((1u << bits) - 1);
    wide[index] = static_cast<std::byte>((value ^ sign) - sign);
  }
  return wide;
}

}  // namespace dycl
