// SPDX-License-Identifier: Apache-2.0
// Memory of the process, filled from a file. The file is not mapped, because another process could write to
// it and change what was read and hashed before, or cut it off and end this process with SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace dycl {

class OwnBytes {
 public:
  // Reads `size` bytes of an open file from `offset` on. Returns null, with errno set, if they cannot be
  // read; errno is 0 if the file ends before them.
  static std::shared_ptr<OwnBytes> read(int descriptor, std::uint64_t offset, std::size_t size);

  explicit OwnBytes(std::size_t size);  // std::bad_alloc when there is no such room
  ~OwnBytes();
  OwnBytes(const OwnBytes&) = delete;
  OwnBytes& operator=(const OwnBytes&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }  // start at a multiple of 64

  // Frees all but a part of the memory. Reading the rest then ends the process at once.
  void keep_only(std::span<const std::byte> part);

 private:
  std::span<std::byte> pages_;
  std::span<const std::byte> bytes_;
};

}  // namespace dycl
