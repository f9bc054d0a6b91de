// SPDX-License-Identifier: Apache-2.0
// Converts between the two forms of sub-byte elements: tensors pack them (low bits first); numpy and the
// command line have one per byte.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/tensor_data.h"

namespace dycl {

// Packs elements. `bits` is 2 or 4; the higher bits of each wide byte are dropped.
std::vector<std::byte> pack_elements(std::span<const std::byte> wide, std::size_t bits);

// Unpacks to one byte per element. Signed types are sign-extended, as numpy's extension types are.
std::vector<std::byte> unpack_elements(std::span<const std::byte> packed, DType dtype, std::size_t count);

}  // namespace dycl
