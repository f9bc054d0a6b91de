// SPDX-License-Identifier: Apache-2.0
#include "package/wire_reader.h"

namespace dycl {

bool WireReader::fail() {
  damaged_ = true;
  rest_ = {};
  return false;
}

bool WireReader::take(std::uint64_t size, std::string_view& bytes) {
  if (size > rest_.size()) return fail();
  bytes = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return true;
}

bool WireReader::next_varint(std::uint64_t& value) {
  if (rest_.empty()) return false;
  value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) return fail();
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if ((byte & 0x80U) == 0) return true;
  }
  return fail();
}

bool WireReader::next(WireField& field) {
  std::uint64_t tag = 0;
  if (!next_varint(tag)) return false;
  const std::uint64_t number = tag >> 3U;
  if (number == 0 || number > 0x1FFFFFFFU) return fail();
  field = {static_cast<std::uint32_t>(number), WireKind::Varint, {}, 0};
  std::string_view skipped;
  switch (tag & 7U) {
    case 0: return next_varint(field.value) || fail();
    case 1: field.kind = WireKind::Fixed; return take(8, skipped);
    case 2: {
      std::uint64_t size = 0;
      if (!next_varint(size)) return fail();
      field.kind = WireKind::Bytes;
      return take(size, field.bytes);
    }
    case 5: field.kind = WireKind::Fixed; return take(4, skipped);
    default: return fail();  // groups do not occur in ONNX
  }
}

}  // namespace dycl
