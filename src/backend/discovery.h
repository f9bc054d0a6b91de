// SPDX-License-Identifier: Apache-2.0
// Where plugins and vendor libraries are looked for. Nothing here reads the environment: the command
// line and the Python module fill SearchPaths.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace dycl {

struct SearchPaths {
  std::vector<std::filesystem::path> plugins;  // folders with libdycl_backend_<name>.so
  // Folders with vendor libraries, flat or as site-packages; an entry may also be the library itself.
  std::vector<std::filesystem::path> vendors;
};

// Folders beside the running binary or library (found by dladdr), for a relocatable install.
std::vector<std::filesystem::path> default_plugin_folders();

Result<std::filesystem::path> find_plugin(const std::string& backend, const SearchPaths& paths);

// The vendor library, looked for flatly and in the known wheel layouts below each vendor folder. Empty
// for a backend that is not in known_backends(): its plugin finds what it needs.
// Missing: Blame::Backend, code "backend.not_installed", hint with the install command.
Result<std::filesystem::path> find_vendor_library(const std::string& backend, const SearchPaths& paths);

// The library that the user named for a backend must be there: Blame::Usage, "backend.library_missing".
Status check_named_library(const std::string& backend, const std::filesystem::path& library);

std::vector<std::string> known_backends();  // "onnxruntime", "openvino", …

}  // namespace dycl
