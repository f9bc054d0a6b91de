// SPDX-License-Identifier: Apache-2.0
// One named part of a package, wherever it was read from.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dycl {

struct PackageEntry {
  std::string name;                  // "subnets/3f…/graph.onnx"
  std::span<const std::byte> bytes;  // starts at a multiple of 64 in memory
  std::shared_ptr<const void> owner;
};

inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// Checks that a name is a relative path of printable ASCII parts joined by '/': no "..", no ".", no empty
// part, no backslash, colon or NUL. DyCL never writes to disk by these names, but other tools might.
Status check_entry_name(std::string_view name);

// Returns the name for messages: unprintable characters are replaced, and a long name is shortened.
std::string shown(std::string_view name);

}  // namespace dycl
