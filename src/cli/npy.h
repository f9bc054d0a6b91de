// SPDX-License-Identifier: Apache-2.0
// numpy's .npy arrays (format versions 1, 2 and 3), read strictly: a file that says anything we do
// not fully understand is refused, and nothing in it is ever executed (no pickled objects).
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/tensor_data.h"

namespace dycl::cli {

// Fortran order and big-endian numbers are converted; `<U` and `|S` become strings. Types that numpy
// does not know (bf16, 8-bit floats, 4-bit integers) are stored as raw bytes (`|V1`, `|V2`), one
// element each: they are read only when the caller says what they are.
Result<TensorData> read_npy(std::span<const std::byte> bytes, std::optional<DType> raw_as = std::nullopt);

// What the beginning of an array tells of all of it.
struct NpyFacts {
  DType dtype = DType::F32;
  std::vector<std::int64_t> dims;
  std::size_t file_size = 0;  // header and elements
};

// As much as read_npy_facts may need: no header is longer.
inline constexpr std::size_t kNpyStart = (1 << 16) + 12;

Result<NpyFacts> read_npy_facts(std::span<const std::byte> start, std::optional<DType> raw_as = std::nullopt);

Result<TensorData> read_npy_file(const std::filesystem::path& path,
                                 std::optional<DType> raw_as = std::nullopt);

// Version 1, C order, little-endian, header padded to 64 bytes: what numpy.save writes.
Result<std::string> write_npy(const TensorData& tensor);

// Reads a whole regular file; Blame::Usage when it cannot.
Result<std::string> read_file(const std::filesystem::path& path);

}  // namespace dycl::cli
