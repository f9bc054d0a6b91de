// SPDX-License-Identifier: Apache-2.0
// A file mapped read-only; what is read from it stays valid as long as somebody holds it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "base/result.h"

namespace dycl {

class MappedFile {
 public:
  // Refuses what is not a regular file (folders, pipes, devices). An empty file maps to no bytes.
  // `follow_link` false refuses a symbolic link as the last part of the path.
  static Result<std::shared_ptr<const MappedFile>> open(const std::filesystem::path& path,
                                                        bool follow_link = true);
  MappedFile(void* address, std::size_t size) : address_(address), size_(size) {}
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(address_), size_};
  }

 private:
  void* address_;  // null when empty
  std::size_t size_;
};

}  // namespace dycl
