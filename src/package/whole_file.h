// SPDX-License-Identifier: Apache-2.0
// Reads a file into memory, so that nobody can change it any more.
#pragma once

#include <filesystem>

#include "base/own_bytes.h"
#include "base/result.h"

namespace dycl {

// Refuses what is not a regular file (folders, pipes, devices). `follow_link` false refuses a symbolic link
// as the last part of the path.
Result<std::shared_ptr<OwnBytes>> read_whole_file(const std::filesystem::path& path, bool follow_link = true);

}  // namespace dycl
