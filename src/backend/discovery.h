// SPDX-License-Identifier: Apache-2.0
// Where plugins and vendor libraries are looked for. Nothing here reads the environment: the command
// line and the Python module fill SearchPaths.
#pragma once

#include <filesystem>
#include <map>
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

// The backend's vendor library, looked for flatly and in the layout of its wheel below each vendor folder.
// Missing: Blame::Backend, code "backend.not_installed", hint with the install command.
Result<std::filesystem::path> find_vendor_library(const std::string& backend, const VendorLibrary& vendor,
                                                  const SearchPaths& paths);

// The vendor library that the plugin asks for; empty: it needs none.
Result<std::filesystem::path> find_library(const std::string& backend, const std::filesystem::path& plugin,
                                           const SearchPaths& paths);

// The library that the user named for a backend must be there: Blame::Usage, "backend.library_missing".
Status check_named_library(const std::string& backend, const std::filesystem::path& library);

// BACKEND=PATH, as the user names vendor libraries on the command line.
using LibraryPaths = std::map<std::string, std::filesystem::path>;
Result<LibraryPaths> parse_libraries(const std::vector<std::string>& options, const SearchPaths& paths);

// All plugins in the folders, by the backend's name; of two with one name the first is taken.
std::map<std::string, std::filesystem::path> find_plugins(const SearchPaths& paths);

struct KnownBackend {
  std::string name;
  BackendTraits traits;
};
// Those that are taken without being named, the preferred one first. A plugin that cannot be asked is left
// out.
std::vector<KnownBackend> known_backends(const SearchPaths& paths);
std::vector<std::string> known_backend_names(const SearchPaths& paths);

}  // namespace dycl
