// SPDX-License-Identifier: Apache-2.0
// The programs and libraries that this process has loaded.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace dycl::bundle {

// By the name that others need them by ("libm.so.6"): the file, with links followed.
using LoadedFiles = std::map<std::string, std::filesystem::path>;

LoadedFiles loaded_files();

}  // namespace dycl::bundle
