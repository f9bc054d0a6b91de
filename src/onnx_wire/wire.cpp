// SPDX-License-Identifier: Apache-2.0
#include "onnx_wire/wire.h"

#include <bit>
#include <cstring>

namespace dycl::onnx_wire {
namespace {

static_assert(std::endian::native == std::endian::little, "floats are copied as they lie");

constexpr std::uint64_t kLargestNumber = (std::uint64_t{1} << 29U) - 1;  // of a field

void append_tag(std::string& message, std::uint32_t number, WireKind kind) {
  append_varint(message, (std::uint64_t{number} << 3U) | static_cast<std::uint64_t>(kind));
}

}  // namespace

bool WireReader::fail() {
  is_damaged_ = true;
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

bool WireReader::read_contents(WireField& field) {
  switch (field.kind) {
    case WireKind::Varint: return next_varint(field.value) || fail();
    case WireKind::Fixed64: return take(8, field.bytes);
    case WireKind::Fixed32: return take(4, field.bytes);
    case WireKind::Bytes: {
      std::uint64_t size = 0;
      return next_varint(size) ? take(size, field.bytes) : fail();
    }
  }
  return fail();  // groups do not occur in ONNX
}

bool WireReader::next(WireField& field) {
  const std::string_view before = rest_;
  std::uint64_t tag = 0;
  if (!next_varint(tag)) return false;
  const std::uint64_t number = tag >> 3U;
  if (number == 0 || number > kLargestNumber) return fail();
  field = {static_cast<std::uint32_t>(number), static_cast<WireKind>(tag & 7U), 0, {}, {}};
  if (!read_contents(field)) return false;
  field.whole = before.substr(0, before.size() - rest_.size());
  return true;
}

bool has_field(std::string_view message, std::uint32_t number) {
  WireReader reader(message);
  for (WireField field; reader.next(field);)
    if (field.number == number) return true;
  return false;
}

void append_varint(std::string& packed, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) packed.push_back(static_cast<char>((value & 0x7FU) | 0x80U));
  packed.push_back(static_cast<char>(value));
}

void append_number(std::string& message, std::uint32_t number, std::uint64_t value) {
  append_tag(message, number, WireKind::Varint);
  append_varint(message, value);
}

void append_bytes(std::string& message, std::uint32_t number, std::string_view bytes) {
  append_tag(message, number, WireKind::Bytes);
  append_varint(message, bytes.size());
  message += bytes;
}

void append_float(std::string& message, std::uint32_t number, float value) {
  append_tag(message, number, WireKind::Fixed32);
  message.append(reinterpret_cast<const char*>(&value), sizeof value);
}

float float_of(std::string_view bytes) {
  float value = 0;
  if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace dycl::onnx_wire
