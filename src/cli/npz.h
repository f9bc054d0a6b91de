// SPDX-License-Identifier: Apache-2.0
// numpy's .npz archives: a zip of .npy arrays, stored or deflated.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/tensor_data.h"

namespace dycl::cli {

using NamedTensors = std::vector<std::pair<std::string, TensorData>>;

// In the archive's order. `byte_limit` bounds what all entries together may expand to.
Result<NamedTensors> read_npz_file(const std::filesystem::path& path,
                                   std::size_t byte_limit = std::size_t{1} << 36);

// Stored entries with a fixed date, written beside `path` and renamed: the file appears whole.
Status write_npz_file(const std::filesystem::path& path, const NamedTensors& tensors);

}  // namespace dycl::cli
