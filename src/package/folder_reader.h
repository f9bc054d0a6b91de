// SPDX-License-Identifier: Apache-2.0
// A package as a plain folder with the same tree, e.g. unpacked by hand to look inside.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "package/entry.h"

namespace dycl {

// Every file below `folder`, read; the manifest first. Symbolic links and special files are refused.
Result<std::vector<PackageEntry>> read_folder(const std::filesystem::path& folder);

}  // namespace dycl
