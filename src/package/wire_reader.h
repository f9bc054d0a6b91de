// SPDX-License-Identifier: Apache-2.0
// The fields of one protobuf message, one after another.
#pragma once

#include <cstdint>
#include <string_view>

namespace dycl {

enum class WireKind : std::uint8_t { Varint, Bytes, Fixed };

struct WireField {
  std::uint32_t number = 0;
  WireKind kind = WireKind::Varint;
  std::string_view bytes;   // Bytes: a text, a message, packed numbers
  std::uint64_t value = 0;  // Varint

  // A protobuf library skips a field of an unexpected kind; who would read it is told the same.
  [[nodiscard]] bool is(std::uint32_t wanted, WireKind wanted_kind) const {
    return number == wanted && kind == wanted_kind;
  }
};

class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  // False at the end, and on damage (see damaged()).
  bool next(WireField& field);
  // For packed numbers: one varint after another.
  bool next_varint(std::uint64_t& value);
  [[nodiscard]] bool damaged() const { return damaged_; }

 private:
  bool fail();
  bool take(std::uint64_t size, std::string_view& bytes);

  std::string_view rest_;
  bool damaged_ = false;
};

}  // namespace dycl
