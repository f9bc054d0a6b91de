// SPDX-License-Identifier: Apache-2.0
// Reading and appending protobuf's wire format. Plugins carry no protobuf library: Debian's static one
// cannot go into a shared object, and two copies of a shared one would register ONNX's types twice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dycl::plugin {

// Walks the fields of one message. Damaged bytes end the walk with ok() == false.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  // Steps to the next field; false at the end or on damage.
  bool next();
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::uint32_t field() const { return field_; }
  [[nodiscard]] bool is_bytes() const { return kind_ == 2; }
  [[nodiscard]] bool is_number() const { return kind_ == 0; }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }  // text, message or packed numbers
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] std::string_view raw() const { return raw_; }  // the whole field, tag included

 private:
  bool read_varint(std::uint64_t& value);
  bool take(std::uint64_t size, std::string_view& into);

  std::string_view rest_;
  bool ok_ = true;
  std::uint32_t field_ = 0;
  std::uint32_t kind_ = 0;
  std::uint64_t number_ = 0;
  std::string_view bytes_;
  std::string_view raw_;
};

// Reads the varints of a packed field one by one; false at the end or on damage.
bool next_packed(std::string_view& packed, std::uint64_t& value);

void append_number(std::string& message, std::uint32_t field, std::uint64_t value);
void append_bytes(std::string& message, std::uint32_t field, std::string_view value);

}  // namespace dycl::plugin
