// SPDX-License-Identifier: Apache-2.0
// Strings in .npy arrays: fixed-width cells padded with NULs, UTF-32 (`<U`) or bytes (`|S`).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/tensor_data.h"

namespace dycl::cli {

// `cell` is the size of one element in bytes; `wide` cells are little-endian UTF-32.
Result<TensorData> strings_from_npy(std::vector<std::int64_t> dims, std::span<const std::byte> data,
                                    std::size_t cell, bool wide);

// Writes a whole .npy file: `<U` if every string is UTF-8, `|S` otherwise. Fails on strings that end in NUL,
// which the format cannot tell from padding.
Result<std::string> strings_to_npy(const TensorData& tensor);

}  // namespace dycl::cli
