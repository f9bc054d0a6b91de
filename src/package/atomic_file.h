// SPDX-License-Identifier: Apache-2.0
// Writes a file that appears whole or not at all.
#pragma once

#include <filesystem>
#include <functional>

#include "base/result.h"
#include "package/zip_writer.h"

namespace dycl {

// Calls `write` with a sink for a temporary file beside `path`; on success the data is flushed to
// disk and the file renamed, otherwise it is removed and `path` is as before. A link stays a link: what it
// points to is replaced. The new file has the rights of the old one, or those that the umask leaves. Devices,
// pipes and open descriptors (/dev/null, /dev/stdout) are never replaced: they are opened and written to.
Status write_atomically(const std::filesystem::path& path,
                        const std::function<Status(const ByteSink&)>& write);

// Checks that `path` can be written, by making a temporary file beside it and removing it again.
Status check_place(const std::filesystem::path& path);

}  // namespace dycl
