// SPDX-License-Identifier: Apache-2.0
// Checks and texts that every plugin needs for the tensors of a call.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "backend/plugin_abi.h"
#include "base/result.h"

namespace dycl::plugin {

inline constexpr std::int32_t cpu_device = 1;  // DLPack's number

// Returns "f32[1,3]"; it also works on malformed tensors.
std::string describe_tensor(std::int32_t dtype, std::span<const std::int64_t> dims);
inline std::span<const std::int64_t> dims_of(const DyclTensor& tensor) {
  return {tensor.dims, static_cast<std::size_t>(tensor.rank < 0 ? 0 : tensor.rank)};
}

// Checks that a tensor is safe to read: known dtype, rank within bounds, sizes that fit its memory, on the
// CPU.
Status check_tensor(const DyclTensor& tensor, const std::string& role);

// Says whether `output` offers memory for exactly this type.
bool offers(const DyclOutput& output, std::int32_t dtype, std::span<const std::int64_t> dims,
            std::size_t byte_size);

// Releases the results that a failed call has already handed over, because the caller will not see them.
void give_back(std::span<DyclOutput> outputs);

}  // namespace dycl::plugin
