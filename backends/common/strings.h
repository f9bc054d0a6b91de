// SPDX-License-Identifier: Apache-2.0
// String tensors at the plugin border: n+1 int64 offsets, then the characters.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/plugin_abi.h"
#include "base/result.h"

namespace dycl::plugin {

// Views into the tensor's memory; fails on offsets that are not monotone or leave the buffer.
Status read_strings(const DyclTensor& tensor, std::vector<std::string_view>& strings);

// The border form of `strings`, written into `bytes`.
void write_strings(std::span<const std::string_view> strings, std::vector<std::byte>& bytes);

}  // namespace dycl::plugin
