// SPDX-License-Identifier: Apache-2.0
// Reads and writes numpy's .npz archives: a zip of .npy arrays, stored or deflated.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/tensor_data.h"

namespace dycl::cli {

using NamedTensors = std::vector<std::pair<std::string, TensorData>>;

// Checks that are made before anything is expanded: first of the names of all arrays, then of what the header
// of each array says.
struct NpzChecks {
  std::function<Status(const std::string& name)> name;
  std::function<Status(const std::string& name, DType dtype, std::span<const std::int64_t> dims)> array;
};

// Reads the arrays in the archive's order. `byte_limit` bounds what all entries together may expand to.
Result<NamedTensors> read_npz_file(const std::filesystem::path& path, const NpzChecks& checks = {},
                                   std::size_t byte_limit = std::size_t{1} << 36);

// Writes stored entries with a fixed date, atomically (package/atomic_file.h).
Status write_npz_file(const std::filesystem::path& path, const NamedTensors& tensors);

}  // namespace dycl::cli
