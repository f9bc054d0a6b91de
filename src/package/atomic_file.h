// SPDX-License-Identifier: Apache-2.0
// A file that appears whole or not at all.
#pragma once

#include <filesystem>
#include <functional>

#include "base/result.h"
#include "package/zip_writer.h"

namespace dycl {

// Calls `write` with a sink for a temporary file beside `path`; on success the data is flushed to
// disk and the file renamed, otherwise it is removed and `path` is as before.
Status write_atomically(const std::filesystem::path& path,
                        const std::function<Status(const ByteSink&)>& write);

// Could a file be put there? Makes a temporary one beside it and removes it again.
Status check_place(const std::filesystem::path& path);

}  // namespace dycl
