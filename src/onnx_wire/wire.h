// SPDX-License-Identifier: Apache-2.0
// Reads and appends the fields of a message in protobuf's wire format. The runtime and the plugins link no
// protobuf library: Debian's static one cannot go into a shared object, and two copies of a shared one would
// register ONNX's types twice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dycl::onnx_wire {

enum class WireKind : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireKind kind = WireKind::Varint;
  std::uint64_t value = 0;  // of a varint
  std::string_view bytes;   // of every other kind: a text, a message, packed numbers, one float
  std::string_view whole;   // the field with its tag

  // These are false for a field of an unexpected kind, which a protobuf library skips, too.
  [[nodiscard]] bool is_number(std::uint32_t wanted) const {
    return number == wanted && kind == WireKind::Varint;
  }
  [[nodiscard]] bool is_bytes(std::uint32_t wanted) const {
    return number == wanted && kind == WireKind::Bytes;
  }
  [[nodiscard]] bool is_float(std::uint32_t wanted) const {
    return number == wanted && kind == WireKind::Fixed32;
  }
};

// Walks the fields of a message. Damaged bytes end the walk.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  // Reads the next field. Returns false at the end, and on damage.
  bool next(WireField& field);
  // Reads packed numbers, one varint after another.
  bool next_varint(std::uint64_t& value);
  [[nodiscard]] bool is_damaged() const { return is_damaged_; }

 private:
  bool fail();
  bool take(std::uint64_t size, std::string_view& bytes);
  bool read_contents(WireField& field);

  std::string_view rest_;
  bool is_damaged_ = false;
};

// Says whether a field of this number occurs, of whatever kind.
bool has_field(std::string_view message, std::uint32_t number);

void append_number(std::string& message, std::uint32_t number, std::uint64_t value);
void append_bytes(std::string& message, std::uint32_t number, std::string_view bytes);
void append_float(std::string& message, std::uint32_t number, float value);
// Appends one of several packed numbers.
void append_varint(std::string& packed, std::uint64_t value);

// Returns the float that four bytes of the format stand for.
float float_of(std::string_view bytes);

}  // namespace dycl::onnx_wire
