// SPDX-License-Identifier: Apache-2.0
// String tensors have one form: n+1 int64 offsets, the first 0, followed by the characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "base/result.h"

namespace dycl::runtime {

// Checks that the offsets start at 0, never fall and stay inside the bytes; anything else is Blame::Usage.
Status check_strings(std::int64_t count, std::span<const std::byte> bytes);

// Reads a tensor that check_strings accepted. Offsets need not be aligned: users' memory may not be.
class StringReader {
 public:
  StringReader(std::int64_t count, const std::byte* bytes)
      : offsets_(bytes), characters_(bytes + static_cast<std::size_t>(count + 1) * sizeof(std::int64_t)) {}

  [[nodiscard]] std::int64_t offset(std::int64_t index) const {
    std::int64_t value = 0;
    std::memcpy(&value, offsets_ + static_cast<std::size_t>(index) * sizeof value, sizeof value);
    return value;
  }
  [[nodiscard]] const char* characters() const { return reinterpret_cast<const char*>(characters_); }
  [[nodiscard]] std::string_view at(std::int64_t index) const {
    return {characters() + offset(index), static_cast<std::size_t>(offset(index + 1) - offset(index))};
  }

 private:
  const std::byte* offsets_;
  const std::byte* characters_;
};

}  // namespace dycl::runtime
