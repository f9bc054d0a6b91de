// SPDX-License-Identifier: Apache-2.0
// Memory of our own, filled from a file. A mapped file would be somebody else's: whoever writes to it in
// place changes what was read and hashed before, and whoever cuts it off ends the process by SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace dycl {

class OwnBytes {
 public:
  // `size` bytes of an open file from `offset` on. Null, with errno set, when they cannot be read; errno is 0
  // when the file ends before them.
  static std::shared_ptr<OwnBytes> read(int descriptor, std::uint64_t offset, std::size_t size);

  explicit OwnBytes(std::size_t size);  // std::bad_alloc when there is no such room
  ~OwnBytes();
  OwnBytes(const OwnBytes&) = delete;
  OwnBytes& operator=(const OwnBytes&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }  // start at a multiple of 64

  // Frees all but a part of it. Reading the rest is then a mistake that ends the process, at once.
  void keep_only(std::span<const std::byte> part);

 private:
  std::span<std::byte> pages_;
  std::span<const std::byte> bytes_;
};

}  // namespace dycl
