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
  std::vector<std::filesystem::path> vendors;  // folders with vendor libraries, e.g. site-packages
};

// Folders beside the running binary or library (found by dladdr), for a relocatable install.
std::vector<std::filesystem::path> default_plugin_folders();

Result<std::filesystem::path> find_plugin(const std::string& backend, const SearchPaths& paths);

// The vendor library, looked for flatly and in the known wheel layouts below each vendor folder.
// Missing: Blame::Backend, code "backend.not_installed", hint with the install command.
Result<std::filesystem::path> find_vendor_library(const std::string& backend, const SearchPaths& paths);

std::vector<std::string> known_backends();  // "onnxruntime", "openvino"

}  // namespace dycl
