// SPDX-License-Identifier: Apache-2.0
// Reads a package from a plain folder with the same tree, for example one that was unpacked by hand.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "package/entry.h"

namespace dycl {

// Reads every file below `folder`, the manifest first. Refuses symbolic links and special files.
Result<std::vector<PackageEntry>> read_folder(const std::filesystem::path& folder);

}  // namespace dycl
