// SPDX-License-Identifier: Apache-2.0
// Reads and writes numpy's .npy arrays (format versions 1, 2 and 3). Reading is strict: it refuses a file
// with anything that it does not fully understand, and never executes anything in it (no pickled objects).
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

// Reads an array. Fortran order and big-endian numbers are converted; `<U` and `|S` become strings. Types
// that numpy does not know (bf16, 8-bit floats, 4-bit integers) are stored as raw bytes (`|V1`, `|V2`), one
// element each, and are read only if the caller says what they are.
Result<TensorData> read_npy(std::span<const std::byte> bytes, std::optional<DType> raw_as = std::nullopt);

// What the header of an array says about all of it.
struct NpyFacts {
  DType dtype = DType::F32;
  std::vector<std::int64_t> dims;
  std::size_t file_size = 0;  // header and elements
};

// The number of bytes that read_npy_facts may need, because no header is longer.
inline constexpr std::size_t kNpyStart = (1 << 16) + 12;

Result<NpyFacts> read_npy_facts(std::span<const std::byte> start, std::optional<DType> raw_as = std::nullopt);

Result<TensorData> read_npy_file(const std::filesystem::path& path,
                                 std::optional<DType> raw_as = std::nullopt);

// Writes what numpy.save writes: version 1, C order, little-endian, header padded to 64 bytes.
Result<std::string> write_npy(const TensorData& tensor);

// Reads a whole regular file; if that fails, the error is Blame::Usage.
Result<std::string> read_file(const std::filesystem::path& path);

}  // namespace dycl::cli
