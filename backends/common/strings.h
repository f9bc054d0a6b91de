// SPDX-License-Identifier: Apache-2.0
// Reads and writes string tensors as plugins take them: n+1 int64 offsets, then the characters.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/plugin_abi.h"
#include "base/result.h"

namespace dycl::plugin {

// Returns views into the tensor's memory. Fails if offsets are not monotone or leave the buffer.
Status read_strings(const DyclTensor& tensor, std::vector<std::string_view>& strings);

// Writes `strings` into `bytes` in that form.
void write_strings(std::span<const std::string_view> strings, std::vector<std::byte>& bytes);

}  // namespace dycl::plugin
