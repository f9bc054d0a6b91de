// SPDX-License-Identifier: Apache-2.0
// Checks and words that every plugin needs for the tensors of a call.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "backend/plugin_abi.h"
#include "base/result.h"

namespace dycl::plugin {

inline constexpr std::int32_t cpu_device = 1;  // DLPack's number

// "f32[1,3]"; works on nonsense too.
std::string describe_tensor(std::int32_t dtype, std::span<const std::int64_t> dims);
inline std::span<const std::int64_t> dims_of(const DyclTensor& tensor) {
  return {tensor.dims, static_cast<std::size_t>(tensor.rank < 0 ? 0 : tensor.rank)};
}

// Is this tensor safe to read: known dtype, rank within bounds, sizes that fit its memory, on the CPU?
Status check_tensor(const DyclTensor& tensor, const std::string& role);

// Does `output` offer memory for exactly this type?
bool offers(const DyclOutput& output, std::int32_t dtype, std::span<const std::int64_t> dims,
            std::size_t byte_size);

// A call that fails gives back the results that it had handed over already: the caller will not see them.
void give_back(std::span<DyclOutput> outputs);

}  // namespace dycl::plugin
