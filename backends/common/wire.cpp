// SPDX-License-Identifier: Apache-2.0
#include "common/wire.h"

namespace dycl::plugin {
namespace {

constexpr std::uint32_t varint_kind = 0;
constexpr std::uint32_t fixed64_kind = 1;
constexpr std::uint32_t bytes_kind = 2;
constexpr std::uint32_t fixed32_kind = 5;

void append_varint(std::string& message, std::uint64_t value) {
  while (value >= 0x80) {
    message.push_back(static_cast<char>((value & 0x7f) | 0x80));
    value >>= 7;
  }
  message.push_back(static_cast<char>(value));
}

}  // namespace

bool next_packed(std::string_view& packed, std::uint64_t& value) {
  value = 0;
  for (std::size_t index = 0; index < packed.size() && index < 10; ++index) {
    const auto byte = static_cast<unsigned char>(packed[index]);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * index);
    if ((byte & 0x80) != 0) continue;
    packed.remove_prefix(index + 1);
    return true;
  }
  return false;
}

bool WireReader::read_varint(std::uint64_t& value) { return next_packed(rest_, value); }

bool WireReader::take(std::uint64_t size, std::string_view& into) {
  if (size > rest_.size()) return false;
  into = rest_.substr(0, static_cast<std::size_t>(size));
  rest_.remove_prefix(static_cast<std::size_t>(size));
  return true;
}

bool WireReader::next() {
  if (!ok_ || rest_.empty()) return false;
  const std::string_view before = rest_;
  std::uint64_t tag = 0;
  ok_ = read_varint(tag) && (tag >> 3) != 0 && (tag >> 3) < (std::uint64_t{1} << 29);
  if (!ok_) return false;
  field_ = static_cast<std::uint32_t>(tag >> 3);
  kind_ = static_cast<std::uint32_t>(tag & 7);
  std::uint64_t size = 0;
  switch (kind_) {
    case varint_kind: ok_ = read_varint(number_); break;
    case fixed64_kind: ok_ = take(8, bytes_); break;
    case bytes_kind: ok_ = read_varint(size) && take(size, bytes_); break;
    case fixed32_kind: ok_ = take(4, bytes_); break;
    default: ok_ = false;
  }
  raw_ = before.substr(0, before.size() - rest_.size());
  return ok_;
}

void append_number(std::string& message, std::uint32_t field, std::uint64_t value) {
  append_varint(message, (std::uint64_t{field} << 3) | varint_kind);
  append_varint(message, value);
}

void append_bytes(std::string& message, std::uint32_t field, std::string_view value) {
  append_varint(message, (std::uint64_t{field} << 3) | bytes_kind);
  append_varint(message, value.size());
  message += value;
}

}  // namespace dycl::plugin
