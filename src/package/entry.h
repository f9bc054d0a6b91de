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

// A relative path of printable ASCII parts joined by '/': no "..", no ".", no empty part, no
// backslash, colon or NUL. Nothing is ever written to disk by these names, yet other tools might.
Status check_entry_name(std::string_view name);

// For messages: the name with anything unprintable replaced, shortened when long.
std::string shown(std::string_view name);

}  // namespace dycl
