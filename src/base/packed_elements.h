// SPDX-License-Identifier: Apache-2.0
// Sub-byte elements lie packed in a tensor (low bits first) and one per byte in numpy and on the
// command line.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/tensor_data.h"

namespace dycl {

// `bits` is 2 or 4; higher bits of each wide byte are dropped.
std::vector<std::byte> pack_elements(std::span<const std::byte> wide, std::size_t bits);

// One byte per element; signed types are sign-extended, as numpy's extension types are.
std::vector<std::byte> unpack_elements(std::span<const std::byte> packed, DType dtype, std::size_t count);

}  // namespace dycl
