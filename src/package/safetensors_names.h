// SPDX-License-Identifier: Apache-2.0
// Names inside weights.safetensors that are not weights.
#pragma once

#include <string_view>

namespace dycl {

inline constexpr std::string_view kPaddingPrefix = "__padding__.";
inline constexpr std::string_view kMetadataKey = "__metadata__";

inline bool is_reserved_weight_name(std::string_view name) {
  return name.empty() || name == kMetadataKey || name.starts_with(kPaddingPrefix);
}

}  // namespace dycl
